//! Chooses what fits into a model's window: files about the question first, and of long files the parts about it.

use super::state::Unseen;
use crate::text::words::{stem_set, stems};
use crate::workflows::analyze::facts::FileFacts;
use std::collections::{HashMap, HashSet};

/// The longest part of a file that is taken or left as a whole.
const BLOCK: usize = 1_200;

/// An excerpt shorter than this is not worth showing.
const MIN_EXCERPT: usize = 120;

/// The weight of a file without any of the question's words: its beginning may say what it is.
const UNRELATED: f64 = 0.2;

/// A file as the model sees it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Excerpt {
    pub text: String,
    /// How many bytes of the file it shows.
    pub shown: usize,
}

/// Shares `room` bytes among the files by how much they have to do with the words of the question.
pub(super) fn excerpts(files: &[FileFacts], words: &str, room: usize) -> Vec<Excerpt> {
    let full_excerpt = |file: &FileFacts| Excerpt { text: file.text.clone(), shown: file.text.len() };
    if files.iter().map(|file| file.text.len()).sum::<usize>() <= room {
        return files.iter().map(full_excerpt).collect();
    }
    let question_stems = stem_set(words);
    let weights = weights(files, &question_stems);
    let sizes: Vec<usize> = files.iter().map(|file| file.text.len()).collect();
    let shares = shares(&sizes, &weights, room);
    let excerpts = files.iter().zip(shares).map(|(file, share)| match file.text.len() {
        size if size <= share => full_excerpt(file),
        _ => excerpt(&file.text, share, &question_stems),
    });
    excerpts.collect()
}

/// Of two excerpts of each file, the one that shows more.
pub(super) fn widest(mut excerpts: Vec<Excerpt>, more: Vec<Excerpt>) -> Vec<Excerpt> {
    for (excerpt, more) in excerpts.iter_mut().zip(more) {
        if more.shown > excerpt.shown {
            *excerpt = more;
        }
    }
    excerpts
}

/// What was left out of the files.
pub(super) fn unseen(files: &[FileFacts], excerpts: &[Excerpt]) -> Vec<Unseen> {
    let cut = files.iter().zip(excerpts).filter(|(file, excerpt)| excerpt.shown < file.text.len());
    let to_unseen = |(file, excerpt): (&FileFacts, &Excerpt)| Unseen {
        name: file.name.clone(),
        shown: excerpt.shown as u64,
        bytes: file.text.len() as u64,
    };
    cut.map(to_unseen).collect()
}

/// How much each file has to do with the question: shared words count, rare ones more.
fn weights(files: &[FileFacts], question_stems: &HashSet<String>) -> Vec<f64> {
    let shared_stems: Vec<HashSet<String>> = files
        .iter()
        .map(|file| {
            let all =
                stems(&file.text).into_iter().chain(stems(&file.name.replace(['/', '_', '-', '.'], " ")));
            all.filter(|word| question_stems.contains(word)).collect()
        })
        .collect();
    let mut files_with: HashMap<&str, usize> = HashMap::new();
    for word in shared_stems.iter().flatten() {
        *files_with.entry(word.as_str()).or_default() += 1;
    }
    let rarity = |word: &String| {
        let file_count = files_with.get(word.as_str()).copied().unwrap_or(1);
        (1.0 + files.len() as f64 / file_count as f64).ln()
    };
    shared_stems.iter().map(|words| UNRELATED + words.iter().map(rarity).sum::<f64>()).collect()
}

/// How many bytes each file gets; bytes that a short file does not need go to the others.
fn shares(sizes: &[usize], weights: &[f64], room: usize) -> Vec<usize> {
    let mut shares = vec![None; sizes.len()];
    let mut room = room;
    loop {
        let open_files: Vec<usize> = (0..sizes.len()).filter(|at| shares[*at].is_none()).collect();
        let total: f64 = open_files.iter().map(|at| weights[*at]).sum();
        let share_of = |at: usize| (room as f64 * weights[at] / total.max(f64::MIN_POSITIVE)) as usize;
        let fitting: Vec<usize> =
            open_files.iter().copied().filter(|at| sizes[*at] <= share_of(*at)).collect();
        if fitting.is_empty() {
            for at in &open_files {
                shares[*at] = Some(share_of(*at));
            }
            return shares.into_iter().map(Option::unwrap_or_default).collect();
        }
        for at in fitting {
            shares[at] = Some(sizes[at]);
            room -= sizes[at];
        }
    }
}

/// The beginning of a text and the parts that mention the question's words, in order.
fn excerpt(text: &str, room: usize, question_stems: &HashSet<String>) -> Excerpt {
    if room < MIN_EXCERPT {
        return Excerpt { text: String::new(), shown: 0 };
    }
    let blocks = blocks(text);
    let score = |block: &str| stems(block).iter().filter(|word| question_stems.contains(*word)).count();
    let mut order: Vec<usize> = (0..blocks.len()).collect();
    order.sort_by_key(|at| (*at != 0, std::cmp::Reverse(score(blocks[*at])), *at));
    let mut taken_bytes = vec![0; blocks.len()];
    let mut room_left = room;
    for at in order {
        let fitting_bytes = blocks[at].floor_char_boundary(room_left);
        // Half a part is worth taking only if nothing was taken yet.
        if fitting_bytes == blocks[at].len() || room_left == room {
            taken_bytes[at] = fitting_bytes;
            room_left -= fitting_bytes;
        }
    }
    let mut out = String::new();
    let mut has_gap = false;
    for (block, taken_bytes) in blocks.iter().zip(&taken_bytes) {
        if *taken_bytes == 0 {
            has_gap = true;
            continue;
        }
        if has_gap {
            out.push_str("\n[…]\n");
        }
        has_gap = *taken_bytes < block.len();
        out.push_str(&block[..*taken_bytes]);
    }
    Excerpt { text: out, shown: taken_bytes.iter().sum() }
}

/// Splits a text into paragraphs; long ones are cut at line ends.
fn blocks(text: &str) -> Vec<&str> {
    let mut blocks = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let limit = rest.floor_char_boundary(BLOCK);
        let end = if rest.len() <= BLOCK {
            rest.len()
        } else {
            let cut = rest[..limit].rfind("\n\n").map(|at| at + 2);
            cut.or_else(|| rest[..limit].rfind('\n').map(|at| at + 1)).unwrap_or(limit)
        };
        let (block, after) = rest.split_at(end.max(1).min(rest.len()));
        blocks.push(block);
        rest = after;
    }
    blocks
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(name: &str, text: String) -> FileFacts {
        FileFacts { name: name.to_owned(), text }
    }

    #[test]
    fn what_fits_is_shown_whole() {
        let files = [file("a.md", "one".into()), file("b.md", "two".into())];
        let shown = excerpts(&files, "anything", 6);
        assert_eq!(shown.iter().map(|one| one.text.as_str()).collect::<Vec<_>>(), ["one", "two"]);
        assert!(unseen(&files, &shown).is_empty());
    }

    #[test]
    fn room_goes_to_the_files_and_parts_that_speak_of_the_question() {
        let dull = "The weather was fine and nobody said a thing.\n\n".repeat(200);
        let relevant = format!("{dull}The launch slipped because the supplier was late.\n\n{dull}");
        let files = [
            file("a-diary.md", dull.clone()),
            file("b-log.md", relevant),
            file("c-small.md", "Short.".into()),
        ];
        let shown = excerpts(&files, "Why did the launch slip?", 4_000);
        assert!(shown[1].text.contains("because the supplier was late"), "{}", shown[1].text);
        assert!(shown[1].text.starts_with("The weather") && shown[1].text.contains("[…]"));
        assert!(shown[1].shown > 3 * shown[0].shown, "{} {}", shown[1].shown, shown[0].shown);
        assert_eq!(shown[2].text, "Short.");
        assert!(shown.iter().map(|one| one.shown).sum::<usize>() <= 4_000);
        let names: Vec<String> = unseen(&files, &shown).into_iter().map(|one| one.name).collect();
        assert_eq!(names, ["a-diary.md", "b-log.md"]);
    }

    #[test]
    fn letters_are_not_cut() {
        let files = [file("a.md", "é".repeat(5_000))];
        let shown = excerpts(&files, "é", 501);
        assert_eq!(shown[0].shown, 500);
    }
}
