/** The one style sheet of the page, allowed by its hash in the content security policy. */
export const STYLE = `
:root { color-scheme: light dark; --text: #1c2330; --soft: #545e70; --line: #d8dee8; --back: #ffffff; --card: #f5f7fa; --link: #0b57b0; }
@media (prefers-color-scheme: dark) {
  :root { --text: #e6eaf1; --soft: #a5afbf; --line: #323b4a; --back: #12161d; --card: #1a202a; --link: #8ab8ff; }
}
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 60rem; padding: 1.5rem 1rem 4rem; background: var(--back); color: var(--text); font: 1rem/1.55 system-ui, sans-serif; }
h1 { font-size: 1.7rem; margin: 0 0 .5rem; }
h2 { font-size: 1.35rem; margin: 3rem 0 1rem; border-bottom: 1px solid var(--line); padding-bottom: .3rem; }
h3 { font-size: 1.05rem; margin: 0 0 .5rem; overflow-wrap: anywhere; }
h4 { font-size: .9rem; margin: 1rem 0 .3rem; color: var(--soft); }
p { margin: .4rem 0; }
a { color: var(--link); }
code { font: .9em/1.4 ui-monospace, monospace; }
pre { background: var(--card); border: 1px solid var(--line); border-radius: .5rem; padding: .8rem 1rem; overflow-x: auto; }
blockquote { margin: .5rem 0; padding: .2rem 1rem; border-left: .25rem solid var(--line); overflow-wrap: anywhere; }
section { background: var(--card); border: 1px solid var(--line); border-radius: .5rem; padding: 1rem; margin: 0 0 1rem; scroll-margin-top: 1rem; }
nav { display: grid; grid-template-columns: repeat(auto-fill, minmax(15rem, 1fr)); gap: .8rem 1.5rem; background: var(--card); border: 1px solid var(--line); border-radius: .5rem; padding: 1rem; margin-top: 1rem; }
nav p { margin: 0; font-weight: 700; }
nav ul { margin: .2rem 0 0; padding: 0; list-style: none; font-size: .92rem; }
nav li { margin: .25rem 0; line-height: 1.35; }
.method { display: inline-block; min-width: 3.5rem; font-weight: 700; }
.who { color: var(--soft); }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: .92rem; }
th, td { text-align: left; vertical-align: top; padding: .35rem .7rem .35rem 0; border-bottom: 1px solid var(--line); }
tbody th { font-weight: 400; white-space: nowrap; }
td { min-width: 5.5rem; }
td:nth-child(2), td:last-child { min-width: 11rem; }
.site { display: flex; flex-wrap: wrap; justify-content: space-between; align-items: end; gap: .5rem 2rem; border-bottom: 1px solid var(--line); padding-bottom: 1rem; margin-bottom: 1.5rem; }
.crumbs { overflow-wrap: anywhere; }
.find label { display: block; font-size: .85rem; color: var(--soft); }
.find input, .find button { min-height: 2.5rem; padding: .3rem .7rem; font: inherit; color: var(--text); background: var(--card); border: 1px solid var(--soft); border-radius: .5rem; max-width: 100%; }
.prose main { max-width: 46rem; overflow-wrap: anywhere; }
.prose h2, .prose h3 { scroll-margin-top: 1rem; }
.prose h3 { margin: 2rem 0 .5rem; }
.prose li { margin: .3rem 0; }
.prose :not(pre) > code { background: var(--card); border-radius: .25rem; padding: 0 .2rem; }
.prose pre code { overflow-wrap: normal; }
.contents { display: block; margin-bottom: 1.5rem; }
.contents li { margin: 0; padding: .15rem 0; break-inside: avoid; }
.contents ul { columns: 16rem; }
.contents .level-3 { padding-left: 1rem; }
.neighbours { display: flex; flex-wrap: wrap; justify-content: space-between; margin-top: 3rem; }
.hits p { color: var(--soft); }
:focus-visible { outline: .15rem solid var(--link); outline-offset: .15rem; }
`;
