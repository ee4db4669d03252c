//! A buffer as an SVG: what is behind the letters, then the letters, a run of one style each.

use ratatui::buffer::{Buffer, Cell};
use ratatui::style::{Color, Modifier};
use std::fmt::Write;

/// The size of a cell; a letter of most monospaced fonts is 0.6 of its height wide.
const CELL_WIDTH: u32 = 9;
const CELL_HEIGHT: u32 = 20;
const FONT_SIZE: u32 = 15;
/// Where letters stand in their cell.
const BASELINE: u32 = 15;
/// The room around the cells.
const MARGIN: u32 = 14;

/// Those that come with macOS, Windows and Linux.
const FONTS: &str = "Menlo, Consolas, 'DejaVu Sans Mono', 'Liberation Mono', monospace";

/// How a run of letters looks.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Look {
    colour: Color,
    modifier: Modifier,
}

/// A run of letters of one look, from a column on.
struct Run {
    x: u16,
    text: String,
    cells: u16,
    look: Look,
}

/// Draws a buffer whose every cell has colours of its own.
pub fn svg(buffer: &Buffer, title: &str) -> String {
    let buffer = &covered(buffer);
    let (columns, rows) = (u32::from(buffer.area.width), u32::from(buffer.area.height));
    let (width, height) = (columns * CELL_WIDTH + 2 * MARGIN, rows * CELL_HEIGHT + 2 * MARGIN);
    let ground = hex(buffer[(0, buffer.area.height / 2)].bg);
    let mut out = String::new();
    let _ = writeln!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
         height=\"{height}\" role=\"img\">\n<title>{}</title>\n\
         <style>text {{ font-family: {FONTS}; font-size: {FONT_SIZE}px; white-space: pre }}</style>\n\
         <rect x=\"0.5\" y=\"0.5\" width=\"{}\" height=\"{}\" rx=\"10\" fill=\"{ground}\" stroke=\"#808a99\" \
         stroke-opacity=\"0.5\"/>\n<g transform=\"translate({MARGIN} {MARGIN})\">",
        escaped(title),
        width - 1,
        height - 1
    );
    for y in 0..buffer.area.height {
        backgrounds(buffer, y, &ground, &mut out);
    }
    for y in 0..buffer.area.height {
        runs(buffer, y).iter().for_each(|run| letters(run, y, &mut out));
    }
    out.push_str("</g>\n</svg>\n");
    out
}

/// The same with the style of each wide letter in the cell that it covers, which a terminal never draws.
fn covered(buffer: &Buffer) -> Buffer {
    let mut all = buffer.clone();
    for y in 0..all.area.height {
        for x in 1..all.area.width {
            if sayso::text::width(all[(x - 1, y)].symbol()) > 1 {
                let style = all[(x - 1, y)].style();
                all[(x, y)].set_symbol(" ").set_style(style);
            }
        }
    }
    all
}

/// Its letters' colour and the one behind them.
fn colours(cell: &Cell) -> (Color, Color) {
    if cell.modifier.contains(Modifier::REVERSED) { (cell.bg, cell.fg) } else { (cell.fg, cell.bg) }
}

fn hex(colour: Color) -> String {
    match colour {
        Color::Rgb(red, green, blue) => format!("#{red:02x}{green:02x}{blue:02x}"),
        other => panic!("{other:?} is whatever the terminal takes it for"),
    }
}

fn backgrounds(buffer: &Buffer, y: u16, ground: &str, out: &mut String) {
    let mut x = 0;
    while x < buffer.area.width {
        let behind = colours(&buffer[(x, y)]).1;
        let end = (x..buffer.area.width).find(|x| colours(&buffer[(*x, y)]).1 != behind);
        let end = end.unwrap_or(buffer.area.width);
        if hex(behind) != ground {
            let (left, top) = (u32::from(x) * CELL_WIDTH, u32::from(y) * CELL_HEIGHT);
            let width = u32::from(end - x) * CELL_WIDTH;
            let fill = hex(behind);
            let _ = writeln!(
                out,
                "<rect x=\"{left}\" y=\"{top}\" width=\"{width}\" height=\"{CELL_HEIGHT}\" fill=\"{fill}\"/>"
            );
        }
        x = end;
    }
}

/// The runs of a row. A wide letter, and one that is drawn as a shape, is a run by itself.
fn runs(buffer: &Buffer, y: u16) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    let mut x = 0;
    let mut alone = true;
    while x < buffer.area.width {
        let cell = &buffer[(x, y)];
        let symbol = cell.symbol();
        let cells = u16::try_from(sayso::text::width(symbol).max(1)).unwrap();
        let shown = Modifier::BOLD | Modifier::ITALIC | Modifier::UNDERLINED | Modifier::CROSSED_OUT;
        let look = Look { colour: colours(cell).0, modifier: cell.modifier & shown };
        let single = cells > 1 || is_shape(symbol);
        match runs.last_mut() {
            Some(run) if !alone && !single && run.look == look => {
                run.text.push_str(symbol);
                run.cells += cells;
            }
            _ => runs.push(Run { x, text: symbol.to_owned(), cells, look }),
        }
        alone = single;
        x += cells;
    }
    runs
}

fn letters(run: &Run, y: u16, out: &mut String) {
    let lines = Modifier::UNDERLINED | Modifier::CROSSED_OUT;
    let text = if run.look.modifier.intersects(lines) { run.text.as_str() } else { run.text.trim_end() };
    let gap = text.len() - text.trim_start().len();
    let blank = u16::try_from(gap).unwrap();
    let text = text.trim_start();
    if text.is_empty() {
        return;
    }
    let (left, top) = (u32::from(run.x + blank) * CELL_WIDTH, u32::from(y) * CELL_HEIGHT);
    let colour = hex(run.look.colour);
    if let Some(path) = shape(text, left, top) {
        let _ = writeln!(out, "{}", path.replace("COLOUR", &colour));
        return;
    }
    let ending = u32::try_from(run.text.len() - run.text.trim_end().len()).unwrap();
    let cells = u32::from(run.cells - blank) - if text.ends_with(' ') { 0 } else { ending };
    let mut style = String::new();
    for (modifier, attribute) in [
        (Modifier::BOLD, " font-weight=\"bold\""),
        (Modifier::ITALIC, " font-style=\"italic\""),
        (Modifier::UNDERLINED, " text-decoration=\"underline\""),
        (Modifier::CROSSED_OUT, " text-decoration=\"line-through\""),
    ] {
        if run.look.modifier.contains(modifier) {
            style.push_str(attribute);
        }
    }
    let _ = writeln!(
        out,
        "<text x=\"{left}\" y=\"{}\" textLength=\"{}\" lengthAdjust=\"spacingAndGlyphs\" fill=\"{colour}\"{style} \
         xml:space=\"preserve\">{}</text>",
        top + BASELINE,
        cells * CELL_WIDTH,
        escaped(text)
    );
}

fn is_shape(symbol: &str) -> bool {
    shape(symbol, 0, 0).is_some()
}

/// Lines and blocks fill their cell, which letters of a font do not.
fn shape(symbol: &str, x: u32, y: u32) -> Option<String> {
    let (half_width, half_height) = (f64::from(CELL_WIDTH) / 2.0, f64::from(CELL_HEIGHT) / 2.0);
    let (left, top) = (f64::from(x), f64::from(y));
    let (middle, centre) = (left + half_width, top + half_height);
    let (right, bottom) = (left + f64::from(CELL_WIDTH), top + f64::from(CELL_HEIGHT));
    let line = match symbol {
        "│" => format!("M{middle} {top}V{bottom}"),
        "─" => format!("M{left} {centre}H{right}"),
        "╭" => format!("M{middle} {bottom}Q{middle} {centre} {right} {centre}"),
        "╮" => format!("M{middle} {bottom}Q{middle} {centre} {left} {centre}"),
        "╰" => format!("M{middle} {top}Q{middle} {centre} {right} {centre}"),
        "╯" => format!("M{middle} {top}Q{middle} {centre} {left} {centre}"),
        "▌" => {
            return Some(format!(
                "<rect x=\"{left}\" y=\"{top}\" width=\"3\" height=\"{CELL_HEIGHT}\" fill=\"COLOUR\"/>"
            ));
        }
        _ => return None,
    };
    Some(format!("<path d=\"{line}\" fill=\"none\" stroke=\"COLOUR\"/>"))
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

mod tests {
    use super::*;
    use ratatui::layout::Rect;
    use ratatui::style::Style;

    #[test]
    fn letters_keep_their_places() {
        let mut buffer = Buffer::empty(Rect::new(0, 0, 12, 1));
        let plain = Style::new().fg(Color::Rgb(1, 2, 3)).bg(Color::Rgb(0, 0, 0));
        buffer.set_string(1, 0, "a<&", plain);
        buffer.set_string(4, 0, "漢x", plain);
        buffer.set_string(8, 0, "b", plain.add_modifier(Modifier::REVERSED));
        // As a terminal has it, but for the cell under the wide letter.
        for x in (0..12).filter(|x| *x != 5) {
            buffer[(x, 0)].set_style(plain);
        }
        let drawn = svg(&buffer, "<test>");
        for part in [
            "<title>&lt;test&gt;</title>",
            "<text x=\"9\" y=\"15\" textLength=\"27\" lengthAdjust=\"spacingAndGlyphs\" fill=\"#010203\" \
             xml:space=\"preserve\">a&lt;&amp;</text>",
            "<text x=\"36\" y=\"15\" textLength=\"18\"",
            "<text x=\"54\" y=\"15\" textLength=\"9\"",
            "<rect x=\"72\" y=\"0\" width=\"9\" height=\"20\" fill=\"#010203\"/>",
            "fill=\"#000000\" xml:space=\"preserve\">b</text>",
        ] {
            assert!(drawn.contains(part), "{part}\n{drawn}");
        }
    }
}
