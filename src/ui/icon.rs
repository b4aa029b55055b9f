//! Icons: 16 by 16, one stroke, the colour of the text.

use yew::prelude::*;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Glyph {
    Run,
    Step,
    Play,
    Pause,
    Stop,
    Restart,
    Earlier,
    Later,
    Shield,
    Crash,
    Reset,
    Interrupt,
    Help,
    System,
    Light,
    Dark,
    File,
    Folder,
    FolderOpen,
    NewFile,
    NewFolder,
    Upload,
    Download,
    Rename,
    Delete,
    Add,
    Back,
    Close,
    Copy,
    Minus,
    Fit,
    Check,
    /// Not done yet.
    Open,
    Lessons,
    Share,
    History,
}

impl Glyph {
    fn path(self) -> &'static str {
        match self {
            Glyph::Run => "M4.5 2.8v10.4l8-5.2z",
            Glyph::Step => "M3.5 3v10l6-5zM12 3v10",
            Glyph::Play => "M2.5 3.5v9l5-4.5zM8.5 3.5v9l5-4.5z",
            Glyph::Pause => "M5 3v10M11 3v10",
            Glyph::Stop => "M4 4h8v8H4z",
            Glyph::Restart => "M3 8a5 5 0 1 0 1.6-3.7M3.2 2.5v2.6h2.6M8 5.5V8l1.8 1.2",
            Glyph::Earlier => "M10.5 3.5 5 8l5.5 4.5z",
            Glyph::Later => "M5.5 3.5 11 8l-5.5 4.5z",
            Glyph::Shield => "M8 1.8 13 3.6v4.2c0 3-2 5.2-5 6.4-3-1.2-5-3.4-5-6.4V3.6zM5.6 8l1.8 1.8 3.2-3.4",
            Glyph::Crash => "M9.2 1.8 4 9h3.6l-.8 5.2L12 7H8.4z",
            Glyph::Reset => "M13 8a5 5 0 1 1-1.5-3.6M13 2.2V5h-2.8",
            Glyph::Interrupt => "M8 2.5v7M8 12.2v1.3",
            Glyph::Help => {
                "M6 6a2 2 0 1 1 2.9 1.8c-.6.3-.9.7-.9 1.4M8 11.6v.1M8 1.8a6.2 6.2 0 1 0 0 12.4A6.2 6.2 0 0 0 8 1.8z"
            }
            Glyph::System => "M2.5 3.5h11v7h-11zM6 13h4M8 10.5V13",
            Glyph::Light => {
                "M8 5.2a2.8 2.8 0 1 0 0 5.6 2.8 2.8 0 0 0 0-5.6zM8 1.5v1.3M8 13.2v1.3M1.5 8h1.3M13.2 8h1.3M3.4 3.4l.9.9M11.7 11.7l.9.9M12.6 3.4l-.9.9M4.3 11.7l-.9.9"
            }
            Glyph::Dark => "M13.2 9.6A5.6 5.6 0 0 1 6.4 2.8a5.6 5.6 0 1 0 6.8 6.8z",
            Glyph::File => "M4 1.8h5l3 3v9.4H4zM9 1.8v3h3",
            Glyph::Folder => "M1.8 3.5h4.4l1.4 1.6h6.6v8H1.8z",
            Glyph::FolderOpen => "M1.8 13V3.5h4.4l1.4 1.6h5.2v2M1.8 13l2-5.9h10.8l-2 5.9z",
            Glyph::NewFile => "M4 1.8h5l3 3v9.4H4zM8 7v4.4M5.8 9.2h4.4",
            Glyph::NewFolder => "M1.8 3.5h4.4l1.4 1.6h6.6v8H1.8zM8 7v4M6 9h4",
            Glyph::Upload => "M8 10.5V2.5M4.8 5.5 8 2.3l3.2 3.2M2.5 10.5v3h11v-3",
            Glyph::Download => "M8 2.5v8M4.8 7.5 8 10.7l3.2-3.2M2.5 10.5v3h11v-3",
            Glyph::Rename => "M10.2 2.8 13.2 5.8 5.6 13.4H2.6v-3zM8.6 4.4l3 3",
            Glyph::Delete => "M2.8 4.2h10.4M6 4V2.4h4V4M4 4.2l.7 9.4h6.6l.7-9.4M6.7 6.8v4.4M9.3 6.8v4.4",
            Glyph::Add => "M8 3v10M3 8h10",
            Glyph::Back => "M9.8 3.2 5 8l4.8 4.8",
            Glyph::Close => "M4 4l8 8M12 4l-8 8",
            Glyph::Copy => "M5.5 5.5h7.7v7.7H5.5zM10.5 5.5V2.8H2.8v7.7h2.7",
            Glyph::Check => "M3 8.5l3.2 3.2L13 4.8",
            Glyph::Open => "M8 3.2a4.8 4.8 0 1 0 0 9.6 4.8 4.8 0 0 0 0-9.6z",
            Glyph::Lessons => {
                "M8 4.2C6.6 3 4.6 2.6 2 2.6v9.6c2.6 0 4.6.4 6 1.6 1.4-1.2 3.4-1.6 6-1.6V2.6c-2.6 0-4.6.4-6 1.6zM8 4.2v9.6"
            }
            Glyph::Minus => "M3 8h10",
            Glyph::Share => "M8 9.5V2M5.2 4.6 8 1.8l2.8 2.8M5 7H3v7h10V7h-2",
            Glyph::History => "M2.8 8a5.2 5.2 0 1 0 1.6-3.8L2.8 5.8M2.8 2.6v3.2H6M8 5.2V8l2 1.4",
            Glyph::Fit => "M2.5 6V2.5H6M10 2.5h3.5V6M13.5 10v3.5H10M6 13.5H2.5V10",
        }
    }
}

#[derive(Properties, PartialEq)]
pub struct IconProps {
    pub glyph: Glyph,
}

#[component]
pub fn Icon(props: &IconProps) -> Html {
    html! {
        <svg class="icon" viewBox="0 0 16 16" aria-hidden="true" focusable="false">
            <path d={props.glyph.path()} />
        </svg>
    }
}
