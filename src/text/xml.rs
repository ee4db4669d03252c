//! The entities of XML. Only the predefined ones exist: nobody here reads a document type.

use std::borrow::Cow;

/// The character that an entity stands for, by its name between `&` and `;`.
pub fn xml_entity(name: &str) -> Option<char> {
    Some(match name {
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "quot" => '"',
        "apos" => '\'',
        other => {
            let number = other.strip_prefix('#')?;
            let code = match number.strip_prefix(['x', 'X']) {
                Some(hex) => u32::from_str_radix(hex, 16).ok()?,
                None => number.parse().ok()?,
            };
            char::from_u32(code)?
        }
    })
}

/// How many bytes are searched for the end of an entity. Without a limit, a text full of `&` would be read once for
/// each.
const MAX_ENTITY: usize = 16;

/// Undoes the escaping of XML text. Anything that is not an entity stays as it is.
pub fn unescape_xml(text: &str) -> Cow<'_, str> {
    if !text.contains('&') {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('&') {
        out.push_str(before);
        let end = after.bytes().take(MAX_ENTITY).position(|byte| byte == b';');
        let entity = end.and_then(|end| Some((xml_entity(after.get(..end)?)?, after.get(end + 1..)?)));
        let (c, next) = entity.unwrap_or(('&', after));
        out.push(c);
        rest = next;
    }
    out.push_str(rest);
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_entities_are_decoded() {
        assert_eq!(unescape_xml("a&lt;&#65;&#x42;&amp;&apos;&bad;&"), "a<AB&'&bad;&");
        assert_eq!(unescape_xml("&#xD800; & &quot;&gt;"), "&#xD800; & \">");
    }
}
