//! Translates OpenDocument formulas to .xlsx: `[.B2]` becomes `B2`, `;` becomes `,`. A formula that cannot be
//! translated is reported, and its cell keeps its value.

/// The formula for .xlsx; `None` if it cannot be expressed there.
pub(super) fn formula(written: &str) -> Option<String> {
    let mut rest =
        ["of:=", "oooc:=", "="].iter().find_map(|mark| written.strip_prefix(mark)).unwrap_or(written);
    let mut out = String::new();
    while let Some(letter) = rest.chars().next() {
        match letter {
            '"' => {
                let end = rest.get(1..)?.find('"')? + 2;
                out.push_str(rest.get(..end)?);
                rest = rest.get(end..)?;
                continue;
            }
            '[' => {
                let end = rest.find(']')?;
                out.push_str(&reference(rest.get(1..end)?)?);
                rest = rest.get(end + 1..)?;
                continue;
            }
            ';' => out.push(','),
            // Inline lists, unions and intersections use different signs in each format.
            '{' | '}' | '~' | '!' => return None,
            other => out.push(other),
        }
        rest = rest.get(letter.len_utf8()..)?;
    }
    let foreign = ["COM.MICROSOFT.", "ORG.LIBREOFFICE.", "ORG.OPENOFFICE.", "COM.SUN."];
    (!out.is_empty() && !foreign.iter().any(|name| out.contains(name))).then_some(out)
}

/// `.B2`, `.B2:.C9`, `$Sheet2.$A$1`, `'My sheet'.A1`.
fn reference(written: &str) -> Option<String> {
    let (from, to) = match written.split_once(":") {
        Some((from, to)) => (from, Some(to)),
        None => (written, None),
    };
    let (sheet, cell) = place(from)?;
    let mut out = match sheet {
        "" => String::new(),
        sheet => format!("{sheet}!"),
    };
    out.push_str(cell);
    if let Some(to) = to {
        let (other, cell) = place(to)?;
        if !other.is_empty() && other != sheet {
            return None;
        }
        out.push(':');
        out.push_str(cell);
    }
    Some(out)
}

/// The sheet, as written before a `!`, and the cell.
fn place(written: &str) -> Option<(&str, &str)> {
    let (sheet, cell) = written.rsplit_once('.')?;
    let sheet = sheet.strip_prefix('$').unwrap_or(sheet);
    let plain = |name: &str| name.chars().all(|c| c.is_alphanumeric() || c == '_');
    let quoted = |name: &str| {
        let inner = name.strip_prefix('\'').and_then(|name| name.strip_suffix('\''));
        inner.is_some_and(|inner| !inner.is_empty() && !inner.contains(['\'', '#', '[', ']']))
    };
    let letters = cell.trim_start_matches('$').trim_start_matches(|c: char| c.is_ascii_uppercase());
    let digits = letters.trim_start_matches('$');
    let is_cell = !cell.is_empty() && digits.chars().all(|c| c.is_ascii_digit()) && digits.len() <= 7;
    (is_cell && (plain(sheet) || quoted(sheet))).then_some((sheet, cell))
}

#[cfg(test)]
mod tests {
    use super::formula;

    #[test]
    fn references_and_separators_are_said_as_xlsx_says_them() {
        for (written, expected) in [
            ("of:=[.B2]*2", "B2*2"),
            ("of:=SUM([.B2:.B9];[.$D$1])", "SUM(B2:B9,$D$1)"),
            ("of:=IF([.A1]=\"a;b]\";1;2)", "IF(A1=\"a;b]\",1,2)"),
            ("of:=[$Rates.A1]+['My sheet'.B2:.B3]", "Rates!A1+'My sheet'!B2:B3"),
            ("of:=SUM([Rates.A1:Rates.A9])", "SUM(Rates!A1:A9)"),
            ("of:=SUM([.B:.B])", "SUM(B:B)"),
        ] {
            assert_eq!(formula(written).as_deref(), Some(expected), "{written}");
        }
        for written in [
            "of:=SUM({1;2|3})",
            "of:=['file:///etc/passwd'#$Sheet1.A1]",
            "of:=[.#REF!]",
            "of:=[A.A1:B.A2]",
            "of:=COM.MICROSOFT.XLOOKUP([.A1];[.B1])",
            "of:=\"open",
            "of:=[.A1",
            "of:=",
        ] {
            assert_eq!(formula(written), None, "{written}");
        }
    }
}
