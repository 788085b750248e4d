//! Colours of boxes and groups in the other notation.

use crate::diagram::Notation;
use crate::diagram::mermaid::is_color_name;

/// The colour as the notation writes it; `None` if it has no such colour.
pub(super) fn translated(color: &str, to: Notation) -> Option<String> {
    match to {
        Notation::Mermaid => {
            let name = color.strip_prefix('#')?;
            if is_color_name(name) {
                return Some(name.to_owned());
            }
            let [red, green, blue] = from_hex(name)?;
            Some(format!("rgb({red}, {green}, {blue})"))
        }
        Notation::PlantUml if has_name(color) => Some(format!("#{color}")),
        Notation::PlantUml => {
            let inside = color.strip_prefix("rgb(")?.strip_suffix(')')?;
            let parts: Vec<u8> =
                inside.split(',').map(|it| it.trim().parse()).collect::<Result<_, _>>().ok()?;
            let [red, green, blue] = parts[..] else { return None };
            Some(format!("#{red:02X}{green:02X}{blue:02X}"))
        }
    }
}

/// Whether PlantUML knows a colour of Mermaid by its name.
fn has_name(color: &str) -> bool {
    let is_special =
        ["transparent", "currentcolor"].iter().any(|it| color.eq_ignore_ascii_case(it));
    is_color_name(color) && !is_special
}

/// `AABBCC` or `ABC`.
fn from_hex(digits: &str) -> Option<[u8; 3]> {
    let number = u32::from_str_radix(digits, 16).ok()?;
    let [_, red, green, blue] = number.to_be_bytes();
    match digits.len() {
        6 => Some([red, green, blue]),
        3 => Some([green & 15, blue >> 4, blue & 15].map(|it| it * 17)),
        _ => None,
    }
}
