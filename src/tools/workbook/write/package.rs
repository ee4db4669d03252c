//! The package: parts by name; unchanged parts are copied without unpacking.

use super::super::WorkbookError;
use super::xml::{TagKind, escape, pieces};
use crate::text::unescape_xml;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{Cursor, Read, Write};
use zip::write::SimpleFileOptions;
use zip::{ZipArchive, ZipWriter};

/// The largest part we unpack, in bytes.
const MAX_BYTES: u64 = 512 << 20;

/// The styles of a new package that show a number as a day, and as a moment.
pub(super) const DAY: usize = 1;
pub(super) const MOMENT: usize = 2;

const TYPES: &str = "[Content_Types].xml";
const SHEET_TYPE: &str = "application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml";
const SHEET_REL: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet";

/// An .xlsx that is being changed.
pub(super) struct Package<'a> {
    archive: ZipArchive<Cursor<&'a [u8]>>,
    changed: BTreeMap<String, String>,
    dropped: BTreeSet<String>,
    workbook: String,
}

struct Rel {
    id: String,
    kind: String,
    target: String,
}

fn broken(error: impl std::fmt::Display) -> WorkbookError {
    WorkbookError::Broken(error.to_string())
}

impl<'a> Package<'a> {
    pub(super) fn open(bytes: &'a [u8]) -> Result<Self, WorkbookError> {
        let archive = ZipArchive::new(Cursor::new(bytes)).map_err(broken)?;
        let mut package =
            Self { archive, changed: BTreeMap::new(), dropped: BTreeSet::new(), workbook: String::new() };
        let top = package.rels("")?;
        let main = top.into_iter().find(|rel| rel.kind.ends_with("/officeDocument"));
        package.workbook = main.map(|rel| rel.target).ok_or_else(|| broken("it names no workbook part"))?;
        Ok(package)
    }

    /// The names of all parts, in order.
    pub(super) fn names(&self) -> BTreeSet<String> {
        self.archive.file_names().filter_map(Result::ok).map(|name| name.to_string()).collect()
    }

    /// A part as it was read.
    pub(super) fn bytes(&mut self, part: &str) -> Result<Vec<u8>, WorkbookError> {
        let file = self.archive.by_name(part).map_err(|_| broken(format!("its part {part} is missing")))?;
        let mut bytes = Vec::new();
        file.take(MAX_BYTES).read_to_end(&mut bytes).map_err(broken)?;
        Ok(bytes)
    }

    /// A part's current text.
    pub(super) fn read(&mut self, part: &str) -> Result<String, WorkbookError> {
        if let Some(text) = self.changed.get(part) {
            return Ok(text.clone());
        }
        let file = self.archive.by_name(part).map_err(|_| broken(format!("its part {part} is missing")))?;
        let mut text = String::new();
        let read = file.take(MAX_BYTES + 1).read_to_string(&mut text).map_err(broken)?;
        if read as u64 > MAX_BYTES {
            return Err(WorkbookError::TooLarge(format!("its part {part}")));
        }
        Ok(text)
    }

    pub(super) fn put(&mut self, part: &str, text: String) {
        self.changed.insert(part.to_owned(), text);
    }

    /// The workbook's part with this kind of relationship.
    fn related(&mut self, kind: &str) -> Option<String> {
        let workbook = self.workbook.clone();
        let rels = self.rels(&workbook).ok()?;
        rels.into_iter().find(|rel| rel.kind.ends_with(&format!("/{kind}"))).map(|rel| rel.target)
    }

    /// The sheets by name, each with its part.
    pub(super) fn sheets(&mut self) -> Result<Vec<(String, String)>, WorkbookError> {
        let workbook = self.workbook.clone();
        let rels = self.rels(&workbook)?;
        let xml = self.read(&workbook)?;
        let mut sheets = Vec::new();
        for piece in pieces(&xml).filter(|piece| piece.opens("sheet")) {
            let name = unescape_xml(piece.attribute("name").unwrap_or_default()).into_owned();
            let id = ["r:id", "d3p1:id", "ns0:id"].iter().find_map(|key| piece.attribute(key));
            let rel = rels.iter().find(|rel| Some(rel.id.as_str()) == id);
            if let Some(rel) = rel {
                sheets.push((name, rel.target.clone()));
            }
        }
        Ok(sheets)
    }

    /// Whether days are counted from 1904, as on old Macs.
    pub(super) fn counts_from_1904(&mut self) -> Result<bool, WorkbookError> {
        let workbook = self.workbook.clone();
        let xml = self.read(&workbook)?;
        let properties = pieces(&xml).find(|piece| piece.opens("workbookPr"));
        Ok(properties
            .and_then(|piece| piece.attribute("date1904"))
            .is_some_and(|yes| yes == "1" || yes == "true"))
    }

    /// Adds an empty sheet and returns its part.
    pub(super) fn add_sheet(&mut self, name: &str) -> Result<String, WorkbookError> {
        let workbook = self.workbook.clone();
        let folder = workbook.rsplit_once('/').map_or("", |(folder, _)| folder).to_owned();
        let exists = |part: &String| {
            self.changed.contains_key(part)
                || self.archive.file_names().any(|name| name.is_ok_and(|name| name == part.as_str()))
        };
        let part =
            (1..10_000).map(|n| format!("{folder}/worksheets/sheet{n}.xml")).find(|part| !exists(part));
        let part = part.ok_or_else(|| broken("it has no room for one more sheet"))?;
        let xml = self.read(&workbook)?;
        let number = |key: &str| {
            let sheets = pieces(&xml).filter(|piece| piece.opens("sheet"));
            sheets.filter_map(|piece| piece.attribute(key)?.parse::<u32>().ok()).max().unwrap_or(0) + 1
        };
        let sheet_id = number("sheetId");
        let rels = self.rels(&workbook)?;
        let id = (1..10_000).map(|n| format!("rIdSayso{n}")).find(|id| !rels.iter().any(|rel| rel.id == *id));
        let id = id.ok_or_else(|| broken("it has no room for one more sheet"))?;
        let close =
            pieces(&xml).find(|piece| piece.closes("sheets")).ok_or_else(|| broken("it lists no sheets"))?;
        let entry = format!(
            "<{}sheet name=\"{}\" sheetId=\"{sheet_id}\" \
             xmlns:r=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships\" r:id=\"{id}\"/>",
            close.prefix(),
            escape(name)
        );
        let updated = insert(&xml, close.at, &entry);
        self.put(&workbook, updated);
        let relation = format!("<Relationship Id=\"{id}\" Type=\"{SHEET_REL}\" Target=\"/{part}\"/>");
        self.add_to_list(&rels_of(&workbook), "Relationships", &relation)?;
        let kind = format!("<Override PartName=\"/{part}\" ContentType=\"{SHEET_TYPE}\"/>");
        self.add_to_list(TYPES, "Types", &kind)?;
        self.put(&part, EMPTY_SHEET.to_owned());
        Ok(part)
    }

    fn add_to_list(&mut self, part: &str, list: &str, entry: &str) -> Result<(), WorkbookError> {
        let xml = self.read(part)?;
        let close = pieces(&xml).find(|piece| piece.closes(list)).map(|piece| piece.at);
        let at = close.ok_or_else(|| broken(format!("{part} cannot be read")))?;
        let updated = insert(&xml, at, entry);
        self.put(part, updated);
        Ok(())
    }

    /// Has every formula computed on opening, and drops the order in which the last program computed them.
    pub(super) fn compute_on_load(&mut self) -> Result<(), WorkbookError> {
        let workbook = self.workbook.clone();
        if let Some(chain) = self.related("calcChain") {
            for (part, sign) in [(rels_of(&workbook), "/calcChain\""), (TYPES.to_owned(), "calcChain+xml")] {
                let xml = self.read(&part)?;
                let rest: String = pieces(&xml)
                    .filter(|p| p.kind != TagKind::Empty || !p.raw.contains(sign))
                    .map(|p| p.raw)
                    .collect();
                self.put(&part, rest);
            }
            self.dropped.insert(chain);
        }
        let xml = self.read(&workbook)?;
        let updated = match pieces(&xml).find(|piece| piece.opens("calcPr")) {
            Some(piece) => {
                let (before, after) = around(&xml, piece.at, piece.raw.len());
                format!("{before}{}{after}", piece.with("fullCalcOnLoad", "1"))
            }
            None => {
                // By the schema it comes right after these.
                let before = ["sheets", "functionGroups", "externalReferences", "definedNames"];
                let last = pieces(&xml)
                    .filter(|piece| before.contains(&piece.name()) && piece.kind != TagKind::Start)
                    .last()
                    .ok_or_else(|| broken("it lists no sheets"))?;
                let entry = format!("<{}calcPr fullCalcOnLoad=\"1\"/>", last.prefix());
                insert(&xml, last.at + last.raw.len(), &entry)
            }
        };
        self.put(&workbook, updated);
        Ok(())
    }

    fn rels(&mut self, part: &str) -> Result<Vec<Rel>, WorkbookError> {
        let xml = self.read(&rels_of(part))?;
        let folder = part.rsplit_once('/').map_or("", |(folder, _)| folder);
        let rels = pieces(&xml).filter(|piece| piece.opens("Relationship")).map(|piece| {
            let get = |key: &str| unescape_xml(piece.attribute(key).unwrap_or_default()).into_owned();
            let target = get("Target");
            let target = match target.strip_prefix('/') {
                Some(absolute) => absolute.to_owned(),
                None => beside(folder, &target),
            };
            Rel { id: get("Id"), kind: get("Type"), target }
        });
        Ok(rels.collect())
    }

    /// Writes the whole package.
    pub(super) fn finish(mut self) -> Result<Vec<u8>, WorkbookError> {
        let mut out = ZipWriter::new(Cursor::new(Vec::new()));
        let mut changed = std::mem::take(&mut self.changed);
        for index in 0..self.archive.len() {
            let part = self.archive.by_index_raw(index).map_err(broken)?;
            let name = part.name().map_err(broken)?.into_owned();
            if self.dropped.contains(&name) {
                continue;
            }
            match changed.remove(&name) {
                Some(text) => {
                    drop(part);
                    fill(&mut out, &name, &text)?;
                }
                None => out.raw_copy_file(part).map_err(broken)?,
            }
        }
        for (name, text) in &changed {
            fill(&mut out, name, text)?;
        }
        Ok(out.finish().map_err(broken)?.into_inner())
    }
}

fn fill(out: &mut ZipWriter<Cursor<Vec<u8>>>, name: &str, text: &str) -> Result<(), WorkbookError> {
    out.start_file(name, SimpleFileOptions::default()).map_err(broken)?;
    out.write_all(text.as_bytes()).map_err(broken)
}

/// A path relative to a folder, with its `..` resolved.
fn beside(folder: &str, target: &str) -> String {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in target.split('/') {
        match part {
            ".." => drop(parts.pop()),
            "." | "" => {}
            part => parts.push(part),
        }
    }
    parts.join("/")
}

fn rels_of(part: &str) -> String {
    let (folder, name) = part.rsplit_once('/').unwrap_or(("", part));
    if folder.is_empty() { format!("_rels/{name}.rels") } else { format!("{folder}/_rels/{name}.rels") }
}

fn around(xml: &str, at: usize, length: usize) -> (&str, &str) {
    (xml.get(..at).unwrap_or_default(), xml.get(at + length..).unwrap_or_default())
}

fn insert(xml: &str, at: usize, entry: &str) -> String {
    let (before, after) = around(xml, at, 0);
    format!("{before}{entry}{after}")
}

const EMPTY_SHEET: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n\
    <worksheet xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\"><sheetData/></worksheet>";

/// A package without sheets.
pub(super) fn empty() -> Result<Vec<u8>, WorkbookError> {
    const HEAD: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n";
    const DOC: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
    const REL: &str = "http://schemas.openxmlformats.org/package/2006/relationships";
    const MAIN: &str = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
    const KIND: &str = "application/vnd.openxmlformats-officedocument.spreadsheetml";
    let parts = [
        (
            TYPES,
            format!(
                "{HEAD}<Types xmlns=\"http://schemas.openxmlformats.org/package/2006/content-types\">\
                 <Default Extension=\"rels\" ContentType=\"application/vnd.openxmlformats-package.relationships+xml\"/>\
                 <Default Extension=\"xml\" ContentType=\"application/xml\"/>\
                 <Override PartName=\"/xl/workbook.xml\" ContentType=\"{KIND}.sheet.main+xml\"/>\
                 <Override PartName=\"/xl/styles.xml\" ContentType=\"{KIND}.styles+xml\"/></Types>"
            ),
        ),
        (
            "_rels/.rels",
            format!(
                "{HEAD}<Relationships xmlns=\"{REL}\">\
                 <Relationship Id=\"rId1\" Type=\"{DOC}/officeDocument\" Target=\"xl/workbook.xml\"/></Relationships>"
            ),
        ),
        (
            "xl/workbook.xml",
            format!("{HEAD}<workbook xmlns=\"{MAIN}\" xmlns:r=\"{DOC}\"><sheets></sheets></workbook>"),
        ),
        (
            "xl/_rels/workbook.xml.rels",
            format!(
                "{HEAD}<Relationships xmlns=\"{REL}\">\
                 <Relationship Id=\"rId1\" Type=\"{DOC}/styles\" Target=\"styles.xml\"/></Relationships>"
            ),
        ),
        (
            "xl/styles.xml",
            format!(
                "{HEAD}<styleSheet xmlns=\"{MAIN}\"><fonts count=\"1\"><font/></fonts>\
                 <fills count=\"2\"><fill><patternFill patternType=\"none\"/></fill>\
                 <fill><patternFill patternType=\"gray125\"/></fill></fills>\
                 <borders count=\"1\"><border/></borders><cellStyleXfs count=\"1\"><xf/></cellStyleXfs>\
                 <cellXfs count=\"3\"><xf numFmtId=\"0\" fontId=\"0\" fillId=\"0\" borderId=\"0\" xfId=\"0\"/>\
                 <xf numFmtId=\"14\" fontId=\"0\" fillId=\"0\" borderId=\"0\" xfId=\"0\" applyNumberFormat=\"1\"/>\
                 <xf numFmtId=\"22\" fontId=\"0\" fillId=\"0\" borderId=\"0\" xfId=\"0\" applyNumberFormat=\"1\"/></cellXfs>\
                 </styleSheet>"
            ),
        ),
    ];
    let mut out = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, text) in &parts {
        fill(&mut out, name, text)?;
    }
    Ok(out.finish().map_err(broken)?.into_inner())
}
