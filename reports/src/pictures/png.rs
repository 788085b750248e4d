//! Pictures as PNG, through resvg.

use resvg::{tiny_skia, usvg};

/// Twice as many pixels as the picture has units: sharp on most screens.
const SCALE: f32 = 2.0;
/// The most pixels on a side.
const MOST_PIXELS: f32 = 16_000.0;

/// Why a picture cannot be written as PNG.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PngError {
    /// There is no font to draw texts with.
    #[error("no font is installed to draw texts with; install one, such as fonts-dejavu-core")]
    NoFont,
    /// The picture is too large for pixels.
    #[error("the picture is too large for PNG ({0} x {1}); write SVG")]
    TooLarge(u32, u32),
    /// The SVG is not one of ours.
    #[error("{0}")]
    Svg(String),
}

/// A picture of ours as PNG, with the fonts of this machine: other fonts give other bytes. It is on white, unless it has a
/// background, and has the colours for light pages, unless it is for dark ones.
///
/// # Errors
/// When no font is installed, or the picture is too large.
pub fn png(svg: &str) -> Result<Vec<u8>, PngError> {
    let mut options = usvg::Options::default();
    options.fontdb_mut().load_system_fonts();
    if options.fontdb.is_empty() {
        return Err(PngError::NoFont);
    }
    let family = options.fontdb.faces().find_map(|face| {
        let (name, _) = face.families.first()?;
        name.starts_with("DejaVu Sans").then(|| name.clone())
    });
    let first = || options.fontdb.faces().find_map(|face| Some(face.families.first()?.0.clone()));
    options.font_family = family.or_else(first).unwrap_or_default();
    let tree = usvg::Tree::from_str(svg, &options).map_err(|it| PngError::Svg(it.to_string()))?;
    let size = tree.size();
    let (width, height) = (size.width() * SCALE, size.height() * SCALE);
    let too_large = || PngError::TooLarge(width as u32, height as u32);
    if width > MOST_PIXELS || height > MOST_PIXELS {
        return Err(too_large());
    }
    let mut pixels =
        tiny_skia::Pixmap::new(width.ceil() as u32, height.ceil() as u32).ok_or_else(too_large)?;
    pixels.fill(tiny_skia::Color::WHITE);
    resvg::render(&tree, tiny_skia::Transform::from_scale(SCALE, SCALE), &mut pixels.as_mut());
    pixels.encode_png().map_err(|it| PngError::Svg(it.to_string()))
}
