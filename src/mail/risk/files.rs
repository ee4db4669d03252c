//! Attachments that run when they are opened.

use super::placeholders::without_placeholders;

/// Extensions of files that some system runs, or that contain programs which run when opened.
const PROGRAMS: &[&str] = &[
    "exe",
    "com",
    "scr",
    "pif",
    "bat",
    "cmd",
    "msi",
    "msp",
    "mst",
    "vbs",
    "vbe",
    "js",
    "jse",
    "ws",
    "wsf",
    "wsh",
    "wsc",
    "hta",
    "cpl",
    "jar",
    "ps1",
    "ps1xml",
    "psm1",
    "psc1",
    "reg",
    "lnk",
    "inf",
    "scf",
    "url",
    "application",
    "gadget",
    "dll",
    "ocx",
    "msc",
    "chm",
    "hlp",
    "ade",
    "adp",
    "apk",
    "dmg",
    "pkg",
    "deb",
    "rpm",
    "appimage",
    "run",
    "sh",
    "bash",
    "zsh",
    "csh",
    "ksh",
    "command",
    "action",
    "workflow",
    "osx",
    "desktop",
    "elf",
    "iso",
    "img",
    "vhd",
    "vhdx",
    "xll",
    "xlam",
    "docm",
    "dotm",
    "xlsm",
    "xltm",
    "pptm",
    "potm",
    "ppam",
    "sldm",
    "settingcontent-ms",
    "library-ms",
    "search-ms",
    "appref-ms",
    "msix",
    "appx",
    "one",
    "py",
    "pyw",
];

/// Media types that are programs, whatever the name says.
const KINDS: &[&str] = &[
    "application/x-msdownload",
    "application/x-msdos-program",
    "application/x-ms-installer",
    "application/x-msi",
    "application/x-executable",
    "application/vnd.microsoft.portable-executable",
    "application/x-sh",
    "application/x-shellscript",
    "application/java-archive",
    "application/hta",
    "application/x-bat",
    "application/x-mach-binary",
    "application/vnd.android.package-archive",
    "application/x-ms-shortcut",
];

/// Whether an attachment opens as a page in a browser.
pub(super) fn is_page(name: &str) -> bool {
    let plain = without_placeholders(name).to_lowercase();
    [".html", ".htm", ".xhtml", ".shtml", ".mht", ".mhtml", ".svg"]
        .iter()
        .any(|ending| plain.ends_with(ending))
}

/// Whether an attachment is a program, by its name or its type.
pub fn is_program(name: &str, kind: &str) -> bool {
    // Characters that reverse text have no place in a file name.
    let turned = ["⟨U+202A", "⟨U+202B", "⟨U+202D", "⟨U+202E", "⟨U+2066", "⟨U+2067", "⟨U+2068", "⟨U+2069"];
    let plain = without_placeholders(name).to_lowercase();
    let ending = plain.rsplit_once('.').map_or("", |(_, ending)| ending.trim());
    PROGRAMS.contains(&ending) || turned.iter().any(|mark| name.contains(mark)) || KINDS.contains(&kind)
}
