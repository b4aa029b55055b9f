//! The canvas: its size, its pixels.

use super::paint::{Palette, Scene, paint};
use wasm_bindgen::prelude::*;
use web_sys::{CanvasRenderingContext2d, HtmlCanvasElement, HtmlElement, ResizeObserver};
use yew::prelude::*;

/// Keeps `size` at the inner size of an element.
#[hook]
pub fn use_size(node: NodeRef, size: UseStateHandle<(f64, f64)>) {
    use_effect_with((), move |()| {
        let element = node.cast::<HtmlElement>();
        let on_resize = {
            let element = element.clone();
            Closure::<dyn FnMut()>::new(move || {
                if let Some(element) = &element {
                    size.set((f64::from(element.client_width()), f64::from(element.client_height())));
                }
            })
        };
        let observer = ResizeObserver::new(on_resize.as_ref().unchecked_ref()).ok();
        if let (Some(observer), Some(element)) = (&observer, &element) {
            observer.observe(element);
        }
        move || {
            if let Some(observer) = observer {
                observer.disconnect();
            }
            drop(on_resize);
        }
    });
}

/// Fits the bitmap to the screen's pixels and paints.
pub fn draw(canvas: &HtmlCanvasElement, scene: &Scene, palette: &Palette) {
    let (width, height) = (scene.layout.width, scene.layout.height);
    // A hidden panel has no size.
    if width < 1.0 || height < 1.0 {
        return;
    }
    let ratio = web_sys::window().map_or(1.0, |window| window.device_pixel_ratio());
    let pixels = ((width * ratio) as u32, (height * ratio) as u32);
    if (canvas.width(), canvas.height()) != pixels {
        canvas.set_width(pixels.0);
        canvas.set_height(pixels.1);
        // Not as an attribute: the page's policy forbids those.
        canvas.style().set_css_text(&format!("width:{width}px;height:{height}px"));
    }
    let context = canvas.get_context("2d").ok().flatten().and_then(|context| context.dyn_into().ok());
    let Some(context): Option<CanvasRenderingContext2d> = context else { return };
    let _ = context.set_transform(ratio, 0.0, 0.0, ratio, 0.0, 0.0);
    paint(&context, scene, palette);
}
