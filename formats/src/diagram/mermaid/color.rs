//! The line of a box: a colour, if it starts with one, and a title.

use super::scan::{is_space, is_word, run, trim};
use super::text::{shown, unwrapped};

/// The colour and the title of a box, from the text behind `box`.
pub(crate) fn box_texts(text: &str) -> (&str, String) {
    let end = end_of_color(text).unwrap_or(0);
    (&text[..end], shown(unwrapped(&text[end..])))
}

/// Where the colour ends that a text starts with.
fn end_of_color(text: &str) -> Option<usize> {
    let word = run(text, 0, is_word);
    let name = &text[..word];
    let open = run(text, word, is_space);
    if ["rgb", "rgba", "hsl", "hsla"].contains(&name) && text[open..].starts_with('(') {
        // The last parenthesis counts, so that a title with parentheses hides the colour.
        let close = text.rfind(')').filter(|&close| close > open)?;
        return is_color_value(&text[open + 1..close]).then_some(close + 1);
    }
    is_color_name(name).then_some(word)
}

/// Whether numbers and signs stand here as between the parentheses of a colour.
fn is_color_value(text: &str) -> bool {
    let is_sign = |c: char| c.is_ascii_alphanumeric() || is_space(c) || ",.%/+-".contains(c);
    !trim(text).is_empty()
        && text.starts_with(|c: char| !c.is_ascii_alphabetic())
        && text.chars().all(is_sign)
}

/// Whether browsers know the colour.
pub(crate) fn is_color_name(word: &str) -> bool {
    COLORS.split_ascii_whitespace().any(|color| color.eq_ignore_ascii_case(word))
}

/// The names of CSS Color 4 (section 6.1), and two further colours.
const COLORS: &str = "
    aliceblue antiquewhite aqua aquamarine azure beige bisque black blanchedalmond blue blueviolet
    brown burlywood cadetblue chartreuse chocolate coral cornflowerblue cornsilk crimson cyan
    darkblue darkcyan darkgoldenrod darkgray darkgreen darkgrey darkkhaki darkmagenta darkolivegreen
    darkorange darkorchid darkred darksalmon darkseagreen darkslateblue darkslategray darkslategrey
    darkturquoise darkviolet deeppink deepskyblue dimgray dimgrey dodgerblue firebrick floralwhite
    forestgreen fuchsia gainsboro ghostwhite gold goldenrod gray green greenyellow grey honeydew
    hotpink indianred indigo ivory khaki lavender lavenderblush lawngreen lemonchiffon lightblue
    lightcoral lightcyan lightgoldenrodyellow lightgray lightgreen lightgrey lightpink lightsalmon
    lightseagreen lightskyblue lightslategray lightslategrey lightsteelblue lightyellow lime
    limegreen linen magenta maroon mediumaquamarine mediumblue mediumorchid mediumpurple
    mediumseagreen mediumslateblue mediumspringgreen mediumturquoise mediumvioletred midnightblue
    mintcream mistyrose moccasin navajowhite navy oldlace olive olivedrab orange orangered orchid
    palegoldenrod palegreen paleturquoise palevioletred papayawhip peachpuff peru pink plum
    powderblue purple rebeccapurple red rosybrown royalblue saddlebrown salmon sandybrown seagreen
    seashell sienna silver skyblue slateblue slategray slategrey snow springgreen steelblue tan teal
    thistle tomato turquoise violet wheat white whitesmoke yellow yellowgreen
    transparent currentcolor
";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_colour_is_no_part_of_the_title() {
        let lines =
            ["Aqua Group 1 ", "rgb(33, 66,99) wrap: a<br>b", "hsla (10 20% 30% / 5%)x", "red"];
        let texts = lines.map(box_texts);
        assert_eq!(texts.each_ref().map(|it| it.1.as_str()), ["Group 1", "a\nb", "x", ""]);
        assert_eq!(texts[1].0, "rgb(33, 66,99)");
        assert_eq!(box_texts("transparent Aqua"), ("transparent", "Aqua".to_owned()));
    }

    #[test]
    fn what_is_no_colour_is_the_title() {
        let lines = ["Alice & Bob", "", "rgb(1,2,3) a (b)", "rgb a", "(red)", "rgb() a", "reddish"];
        assert_eq!(lines.map(|it| box_texts(it).1), lines);
    }
}
