//! Draws a graph with boxes and lines for a terminal, with a thread's path and its current node lit.
//!
//! Boxes are stacked in the order the nodes were declared. An edge to the next box is a line between the two; every
//! other edge runs in a lane next to the boxes, forward on the right, back on the left. Edges to the same node share a
//! lane. When two lines cross without meeting, the vertical one is drawn unbroken.

use super::{Edge, Shape};
use std::collections::{BTreeMap, BTreeSet};

/// The name of the start in drawings and steps.
pub const START: &str = "START";

/// The name of the end.
pub const END: &str = "END";

/// The path a thread took.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TakenPath {
    pub visits: BTreeMap<String, usize>,
    /// The (from, to) pairs it went along.
    pub edges: BTreeSet<(String, String)>,
    /// The current node.
    pub current: Option<String>,
}

/// How a stroke is lit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Highlight {
    /// The thread was not here.
    #[default]
    Off,
    /// The thread was here.
    On,
    /// The thread is here now.
    Here,
}

/// A drawing: lines of strokes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Picture {
    pub lines: Vec<Vec<(String, Highlight)>>,
}

impl Picture {
    /// The drawing as plain text.
    pub fn text(&self) -> String {
        let line = |strokes: &Vec<(String, Highlight)>| {
            let text: String = strokes.iter().map(|(text, _)| text.as_str()).collect();
            format!("{}\n", text.trim_end())
        };
        self.lines.iter().map(line).collect()
    }

    /// The first line of the current node's box.
    pub fn current_line(&self) -> Option<usize> {
        self.lines.iter().position(|line| line.iter().any(|(_, light)| *light == Highlight::Here))
    }
}

impl Shape {
    /// Draws the graph.
    pub fn picture(&self, path: &TakenPath) -> Picture {
        let boxes = self.boxes();
        let routes = self.routes(&boxes, path);
        let (right, left): (Vec<Route>, Vec<Route>) = routes
            .iter()
            .copied()
            .filter(|route| route.to != route.from + 1)
            .partition(|route| route.to > route.from);
        let (right, left) = (Lanes::of(&right), Lanes::of(&left));
        let label = |name: &str| match path.visits.get(name) {
            Some(times) if *times > 1 => format!("{name} ×{times}"),
            _ => name.to_owned(),
        };
        let widest = boxes.iter().map(|name| label(name).chars().count()).max().unwrap_or(0);
        let x = if left.count == 0 { 0 } else { left.count * 2 + 2 };
        let width = widest + 6;
        let mut grid = Grid::new(x + width + right.count * 3 + 2, boxes.len() * BOX_HEIGHT);
        for route in &routes {
            if route.to == route.from + 1 {
                grid.draw_straight(route, x + width / 2);
            }
        }
        for (route, lane) in right.routes.iter() {
            grid.draw_in_lane(route, (x + width - 1, x + width + 1 + lane * 3), Side::Right);
        }
        for (route, lane) in left.routes.iter() {
            grid.draw_in_lane(route, (x, x - 3 - lane * 2), Side::Left);
        }
        for (n, name) in boxes.iter().enumerate() {
            let light = match &path.current {
                Some(current) if current == name => Highlight::Here,
                _ if path.visits.contains_key(*name) => Highlight::On,
                _ => Highlight::Off,
            };
            grid.draw_box((x, n * BOX_HEIGHT), width, &label(name), light);
        }
        grid.picture()
    }

    /// The names of the boxes, top to bottom.
    fn boxes(&self) -> Vec<&str> {
        let reached = self.reached();
        let mut boxes = vec![START];
        boxes.extend(self.nodes.iter().map(|node| node.name.as_str()).filter(|name| reached.contains(name)));
        // The entry comes first, wherever it was declared.
        if let Some(at) = boxes.iter().position(|name| *name == self.entry) {
            boxes[1..=at].rotate_right(1);
        }
        boxes.push(END);
        boxes
    }

    fn routes(&self, boxes: &[&str], path: &TakenPath) -> Vec<Route> {
        let place = |name: &str| boxes.iter().position(|known| *known == name);
        let lit = |from: &str, to: &str| path.edges.contains(&(from.to_owned(), to.to_owned()));
        let mut routes = vec![Route { from: 0, to: 1, style: Line::Plain, lit: lit(START, &self.entry) }];
        for node in &self.nodes {
            for edge in &node.edges {
                let (to, style) = match edge {
                    Edge::Goto(to) => (to.as_str(), Line::Plain),
                    Edge::Ask(to) => (to.as_str(), Line::Asks),
                    Edge::Spawn(to) => (to.as_str(), Line::Starts),
                    Edge::End => (END, Line::Plain),
                };
                if let (Some(from), Some(to_place)) = (place(&node.name), place(to)) {
                    routes.push(Route { from, to: to_place, style, lit: lit(&node.name, to) });
                }
            }
        }
        // Lit edges come last, so that they are drawn on top.
        routes.sort_by_key(|route| route.lit);
        routes
    }
}

/// Explains the strokes; shown below a picture.
pub const LEGEND: &str = "┄ asks a person   ═ starts threads   ×n taken n times";

/// Lines per box, including the one below it.
const BOX_HEIGHT: usize = 4;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Line {
    Plain,
    Asks,
    Starts,
}

#[derive(Clone, Copy, Debug)]
struct Route {
    from: usize,
    to: usize,
    style: Line,
    lit: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    Left,
    Right,
}

/// Edges next to the boxes, each with its lane number; lane 0 is nearest to the boxes.
struct Lanes {
    routes: Vec<(Route, usize)>,
    count: usize,
}

impl Lanes {
    fn of(routes: &[Route]) -> Self {
        // Edges to one node share a lane, which spans the longest of them.
        let mut spans: BTreeMap<usize, (usize, usize)> = BTreeMap::new();
        for route in routes {
            let (top, bottom) = (route.from.min(route.to), route.from.max(route.to));
            let span = spans.entry(route.to).or_insert((top, bottom));
            *span = (span.0.min(top), span.1.max(bottom));
        }
        let mut order: Vec<(usize, (usize, usize))> = spans.into_iter().collect();
        order.sort_by_key(|(to, (top, bottom))| (bottom - top, *to));
        let mut lane_spans: Vec<Vec<(usize, usize)>> = Vec::new();
        let mut lanes = BTreeMap::new();
        for (to, (top, bottom)) in order {
            let free = |spans: &Vec<(usize, usize)>| spans.iter().all(|(t, b)| bottom < *t || top > *b);
            let lane = match lane_spans.iter().position(free) {
                Some(lane) => lane,
                None => {
                    lane_spans.push(Vec::new());
                    lane_spans.len() - 1
                }
            };
            lane_spans[lane].push((top, bottom));
            lanes.insert(to, lane);
        }
        let count = lane_spans.len();
        Self { routes: routes.iter().map(|route| (*route, lanes[&route.to])).collect(), count }
    }
}

const UP: u8 = 1;
const DOWN: u8 = 2;
const LEFT: u8 = 4;
const RIGHT: u8 = 8;

#[derive(Clone, Copy, Debug, Default)]
struct Cell {
    /// A bit for each side on which a line leaves the cell.
    sides: u8,
    /// A character drawn instead of lines.
    letter: Option<char>,
    style: Option<Line>,
    light: Highlight,
}

struct Grid {
    cells: Vec<Vec<Cell>>,
}

impl Grid {
    fn new(width: usize, height: usize) -> Self {
        Self { cells: vec![vec![Cell::default(); width]; height] }
    }

    fn at(&mut self, x: usize, y: usize) -> Option<&mut Cell> {
        self.cells.get_mut(y).and_then(|row| row.get_mut(x))
    }

    fn letter(&mut self, x: usize, y: usize, letter: char, light: Highlight) {
        if let Some(cell) = self.at(x, y) {
            (cell.letter, cell.light) = (Some(letter), light.max(cell.light));
        }
    }

    fn line(&mut self, x: usize, y: usize, sides: u8, route: &Route) {
        let Some(cell) = self.at(x, y) else { return };
        let across = |sides: u8| sides == LEFT | RIGHT;
        let along = |sides: u8| sides == UP | DOWN;
        let light = if route.lit { Highlight::On } else { Highlight::Off };
        if along(cell.sides) && across(sides) {
            // They cross without meeting: the vertical line stays unbroken.
            return;
        }
        if across(cell.sides) && along(sides) {
            *cell = Cell { sides, letter: None, style: Some(route.style), light };
            return;
        }
        cell.style = match cell.style {
            Some(other) if other != route.style => Some(Line::Plain),
            _ => Some(route.style),
        };
        cell.sides |= sides;
        cell.light = cell.light.max(light);
    }

    /// Draws an edge to the box directly below.
    fn draw_straight(&mut self, route: &Route, x: usize) {
        let y = route.to * BOX_HEIGHT - 1;
        let light = if route.lit { Highlight::On } else { Highlight::Off };
        self.letter(x, y, '▼', light);
        let word = match route.style {
            Line::Plain => "",
            Line::Asks => " asks",
            Line::Starts => " starts threads",
        };
        for (n, letter) in word.chars().enumerate() {
            self.letter(x + 1 + n, y, letter, light);
        }
    }

    /// Draws an edge from the lower corner of a box, along a lane, into the middle of another box.
    fn draw_in_lane(&mut self, route: &Route, (edge, lane): (usize, usize), side: Side) {
        let (out, into) = (route.from * BOX_HEIGHT + 2, route.to * BOX_HEIGHT + 1);
        let (back, on) = match side {
            Side::Right => (LEFT, RIGHT),
            Side::Left => (RIGHT, LEFT),
        };
        let between = match side {
            Side::Right => edge + 1..lane,
            Side::Left => lane + 1..edge,
        };
        for x in between.clone() {
            self.line(x, out, LEFT | RIGHT, route);
            self.line(x, into, LEFT | RIGHT, route);
        }
        let (top, bottom) = (out.min(into), out.max(into));
        for y in top + 1..bottom {
            self.line(lane, y, UP | DOWN, route);
        }
        let (first, last) = if out < into { (DOWN, UP) } else { (UP, DOWN) };
        self.line(lane, out, back | first, route);
        self.line(lane, into, back | last, route);
        // The corner where the edge leaves, and the arrowhead.
        self.line(edge, out, on, route);
        let light = if route.lit { Highlight::On } else { Highlight::Off };
        match side {
            Side::Right => self.letter(edge + 1, into, '◀', light),
            Side::Left => self.letter(edge - 1, into, '▶', light),
        }
    }

    fn draw_box(&mut self, (x, y): (usize, usize), width: usize, name: &str, light: Highlight) {
        let last = x + width - 1;
        let (corners, flat, upright) = match light {
            Highlight::Here => (['┏', '┓', '┗', '┛'], '━', '┃'),
            Highlight::On | Highlight::Off => (['┌', '┐', '└', '┘'], '─', '│'),
        };
        let leaves = |grid: &mut Self, x: usize, side: u8| {
            grid.at(x, y + 2).is_some_and(|cell| cell.sides & side != 0)
        };
        let (left, right) = (leaves(self, x, LEFT), leaves(self, last, RIGHT));
        for at in x..=last {
            self.letter(at, y, flat, light);
            self.letter(at, y + 2, flat, light);
            self.letter(at, y + 1, ' ', light);
        }
        let foot = |leaves: bool, corner: char| match (leaves, light) {
            (false, _) => corner,
            (true, Highlight::Here) => '┻',
            (true, Highlight::On | Highlight::Off) => '┴',
        };
        let marks = [
            (x, y, corners[0]),
            (last, y, corners[1]),
            (x, y + 2, foot(left, corners[2])),
            (last, y + 2, foot(right, corners[3])),
            (x, y + 1, upright),
            (last, y + 1, upright),
        ];
        for (x, y, letter) in marks {
            self.letter(x, y, letter, light);
        }
        let room = width - 2;
        let begin = x + 1 + room.saturating_sub(name.chars().count()) / 2;
        if light == Highlight::Here && begin >= x + 3 {
            self.letter(begin - 2, y + 1, '▸', light);
        }
        for (n, letter) in name.chars().take(room).enumerate() {
            self.letter(begin + n, y + 1, letter, light);
        }
    }

    fn picture(self) -> Picture {
        let mut lines: Vec<Vec<(String, Highlight)>> = Vec::new();
        for row in self.cells {
            let mut line: Vec<(String, Highlight)> = Vec::new();
            for cell in row {
                let letter = cell.letter.unwrap_or_else(|| stroke(cell.sides, cell.style));
                match line.last_mut() {
                    Some((text, light)) if *light == cell.light => text.push(letter),
                    _ => line.push((letter.to_string(), cell.light)),
                }
            }
            lines.push(line);
        }
        // Nothing follows the last box.
        lines.pop();
        Picture { lines }
    }
}

fn stroke(sides: u8, style: Option<Line>) -> char {
    let (across, along) = (LEFT | RIGHT, UP | DOWN);
    match (sides, style) {
        (0, _) => ' ',
        (sides, Some(Line::Asks)) if sides == across => '┄',
        (sides, Some(Line::Starts)) if sides == across => '═',
        (sides, Some(Line::Asks)) if sides == along => '┆',
        (sides, Some(Line::Starts)) if sides == along => '║',
        (sides, _) if sides == across || sides == LEFT || sides == RIGHT => '─',
        (sides, _) if sides == along || sides == UP || sides == DOWN => '│',
        (sides, _) if sides == RIGHT | DOWN => '┌',
        (sides, _) if sides == LEFT | DOWN => '┐',
        (sides, _) if sides == RIGHT | UP => '└',
        (sides, _) if sides == LEFT | UP => '┘',
        (sides, _) if sides == along | RIGHT => '├',
        (sides, _) if sides == along | LEFT => '┤',
        (sides, _) if sides == across | DOWN => '┬',
        (sides, _) if sides == across | UP => '┴',
        _ => '┼',
    }
}
