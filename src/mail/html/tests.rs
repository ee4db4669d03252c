//! Which text is visible, which is not, and that no page takes long.

use super::*;
use proptest::prelude::*;

#[track_caller]
fn shows(html: &str, text: &str, hidden: u32) {
    let page = page(html);
    assert_eq!((page.text.as_str(), page.hidden), (text, hidden), "{html}");
}

#[test]
fn what_people_see() {
    shows("Hello <b>there</b>,<br>how are you?", "Hello there,\nhow are you?", 0);
    shows("<p>one</p><p>two</p>", "one\n\ntwo", 0);
    shows("<div>one</div><div><br></div><div>two</div>", "one\n\ntwo", 0);
    shows("a  b\n c&nbsp;d", "a b c d", 0);
    shows("<pre>a  b\n c</pre>", "a  b\n c", 0);
    shows("<ul><li>one<li>two</ul>x", "- one\n- two\n\nx", 0);
    shows("<ol start=3><li>one</li><li>two</li></ol>", "3. one\n4. two", 0);
    shows("<table><tr><td>a<td>b<tr><td>c</table>d", "a  b\nc\n\nd", 0);
    shows("<h1>Title</h1>text", "Title\n\ntext", 0);
    shows("new<blockquote type=cite>old<br>words</blockquote>end", "new\n\n> old\n> words\n\nend", 0);
    shows("<blockquote style='margin:0 0 0 40px;border:none'>in</blockquote>", "in", 0);
    shows("<img alt='a cat' src=http://example.com/x.png><img src=y>", "[a cat]", 0);
    shows("&lt;b&gt; &eacute;&#233;&#xe9;&#146; &amp &bogus; & AT&T", "<b> ééé’ & &bogus; & AT&T", 0);
    shows("1 < 2 and 3 > 2", "1 < 2 and 3 > 2", 0);
    shows("<title>t</title><style>p{}</style><script>alert(1)</script>x", "x", 0);
    shows("<p>unclosed <b>tags<p>here", "unclosed tags\n\nhere", 0);
    shows("", "", 0);
}

#[test]
fn what_people_cannot_see() {
    for style in [
        "display:none",
        "DISPLAY : None !important",
        "display:/* x */none",
        "visibility:hidden",
        "opacity:0",
        "opacity:0.01",
        "opacity:1%",
        "filter:opacity(0)",
        "filter:blur(1px) opacity(1%)",
        "letter-spacing:-1em",
        "letter-spacing:-20px",
        "font-size:0",
        "font-size:1px",
        "font-size:0.1em",
        "font:0/0 a",
        "font:100 0px x",
        "font:italic 900\t1px/9 x",
        "color:#fff",
        "color:white;background:#FEFEFE",
        "color:rgb(255,255,255)",
        "color:rgb(100%,100%,100%)",
        "color:rgb(0 0 0 / 3%)",
        "color:transparent",
        "color:#000;background-color:#000",
        "max-height:0;overflow:hidden",
        "width:1px;height:1px;overflow:hidden",
        "position:absolute;left:-9999px",
        "text-indent:-9999px",
        "mso-hide:all",
        "clip:rect(0,0,0,0)",
        "transform:scale(0)",
    ] {
        shows(&format!("a <span style='{style}'>secret <b>words</b></span> b"), "a b", 1);
    }
    shows("a<!-- secret -->b", "ab", 1);
    shows("a<!--[if mso]><p>x</p><![endif]-->b", "ab", 0);
    shows("a <span hidden>secret</span>b", "a b", 1);
    shows("a <details><summary>More</summary>secret <p>words</p></details>b", "a More\n\nb", 1);
    shows("a <font color=white>secret</font>b", "a b", 1);
    shows("<body bgcolor=black text=white>seen <font color=#010101>secret</font></body>", "seen", 1);
    shows(
        "<style>.x{display:none} #y{opacity:0} td b{color:#fff}</style>a <i class='z x'>s</i> b <i id=y>s</i><table><td>c <b>s</b></table>",
        "a b\n\nc",
        3,
    );
    shows("<sTyle>.x{display:none}</StYLE>a <i class=x>s</i>b", "a b", 1);
    shows("<div style=display:none>a<p>b<p>c</div>d", "d", 1);
    shows("<p style=display:none>a<p>seen", "seen", 1);
    shows("a <span style='visibility:hidden'>s<b style='visibility:visible'>seen</b></span>", "a seen", 1);
    // The padding of previews is no hidden text.
    shows("<div style=display:none>&nbsp;&zwnj;&#847;</div>x", "x", 0);
    // Adjacent ones count as one piece, separate ones as several.
    shows("<i style=display:none>s</i><i style=display:none>s</i>a<i style=display:none>s</i>", "a", 2);
}

#[test]
fn what_is_seen_after_all() {
    shows("<table bgcolor='#003366'><td><span style='color:#ffffff'>Sale</span></table>", "Sale", 0);
    shows("<div style='background:url(x.png) #fff'><span style='color:white'>Sale</span></div>", "Sale", 0);
    shows("<td background='x.png'><span style='color:white'>Sale</span></td>", "Sale", 0);
    shows("<div style='font-size:0'><span style='font-size:14px'>text</span></div>", "text", 0);
    shows("<div style='max-height:0'>text</div>", "text", 0);
    shows("<i style='filter:opacity(90%);letter-spacing:-0.02em'>text</i>", "text", 0);
    shows("<details open>text</details>", "text", 0);
    shows(
        "<style>@media (max-width:600px){.x{display:none}} .y{color:red}</style><p class=x>text</p>",
        "text",
        0,
    );
    shows(
        "<style>.a > .b{background:#000}</style><body><div class=a><div class=b style='color:#fff'>text</div></div>",
        "text",
        0,
    );
    shows("<style>.x{display:none}</style><p class=x style='display:block!important'>text</p>", "text", 0);
    shows("<a href='http://x.example' style='color:#fff;background:#06c'>Go</a>", "Go", 0);
    shows("<span style='color:windowtext'>text</span>", "text", 0);
    shows("<i style='color:rgb(100%,0%,0%);font:100 14px/1 x'>text</i>", "text", 0);
    shows("<i style='color:rgb(255 255 255 / 90%);background:rgb(0%,0%,50%)'>text</i>", "text", 0);
    shows("<p style='font-size:small'>text</p><p style='font-size:80%'>more</p>", "text\n\nmore", 0);
}

#[test]
fn links() {
    let links_of =
        |html: &str| page(html).links.into_iter().map(|link| (link.text, link.target)).collect::<Vec<_>>();
    let pair = |text: &str, target: &str| (text.to_owned(), target.to_owned());
    assert_eq!(
        links_of("<a href='https://x.example/?a=1&amp;b=2'>here <b>it</b> is</a>"),
        [pair("here it is", "https://x.example/?a=1&b=2")]
    );
    assert_eq!(links_of("<a href=https://x.example>https://x.example</a>"), [pair("", "https://x.example")]);
    assert_eq!(links_of("<a href='mailto:a@x.example'>a@x.example</a>"), [pair("", "mailto:a@x.example")]);
    assert_eq!(links_of("<a href=\" java\nscript:alert(1)\">x</a>"), [pair("x", "javascript:alert(1)")]);
    assert_eq!(links_of("<a href='data:text/html,x'>x</a>"), [pair("x", "data:text/html,x")]);
    assert_eq!(
        links_of("<a href=http://x.example><img alt=Logo src=y></a>"),
        [pair("[Logo]", "http://x.example")]
    );
    assert_eq!(links_of("<a href=http://x.example>open <a href=http://y.example>two</a>").len(), 2);
    assert!(
        links_of("<a href='#top'>up</a><a name=x>y</a><p hidden><a href=http://x.example>z</a></p>")
            .is_empty()
    );
}

#[test]
fn monsters_stay_quick() {
    for piece in [
        "<div>",
        "<div style='display:block'>",
        "<blockquote>",
        "<ul><li>",
        "<table><tr><td>",
        "<b>",
        "<a href=x>",
        "</p>",
        "<",
        "<a b='",
        "&",
        "&amp",
        "<!--",
        "<p ",
        "<style>",
        "</b></i>",
    ] {
        let html = piece.repeat(40_000);
        let page = page(&html);
        assert!(page.text.len() <= html.len() + 64);
    }
    let deep = format!("{}deep down{}", "<div>".repeat(50_000), "</div>".repeat(50_000));
    assert_eq!(page(&deep).text, "deep down");
    let rules: String = (0..3000).map(|n| format!("* b .c{n}, i.x .y, b{{display:none}}")).collect();
    page(&format!("<style>{rules}</style>{}", "<b class='x y'>t</b>".repeat(5_000)));
}

proptest! {
    #[test]
    fn no_html_panics(html in "(<[a-z/!]{0,4}( [a-z]{0,5}=?['\"]?[a-z:;0#]{0,9}['\"]?)?>?|&[a-z#0-9]{0,5};?|é|[a-z \n]{0,5}|<!--|-->|<style>|</style>|\\{|\\}){0,40}") {
        let page = page(&html);
        prop_assert!(!page.text.contains("\n\n\n"));
    }
}
