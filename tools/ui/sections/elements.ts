import { type DrawIcon, LONG_NAME, LONG_WORD, part, section } from '../markup.ts';

const BUTTONS = ['', 'main', 'bad', 'quiet'] as const;

const buttons = (icon: DrawIcon): string =>
  BUTTONS.map(
    (look) => `<p class="buttons">
      <button type="button" class="${look}">${look || 'usual'}</button>
      <button type="button" class="${look}">${icon('search')}With an icon</button>
      <button type="button" class="${look}" disabled>Disabled</button>
      <a class="button ${look}" href="#elements">Link</a>
    </p>`,
  ).join('');

const TEXT = `<h1>Heading of a page</h1>
  <h2>Heading of a section</h2>
  <h3>Heading of a part</h3>
  <h4>Heading within one</h4>
  <p>A paragraph with <a href="#elements">a link</a>, <code>code</code>, <kbd>Ctrl</kbd> <kbd>K</kbd> and
    <span class="sr">words for screen readers</span><span class="unseen">alone</span>.</p>
  <p hidden>Hidden</p>
  <p class="soft">Soft text</p>
  <p class="hint">A hint</p>
  <p class="fault">A fault</p>
  <p class="callout">A callout</p>
  <p class="bad">Bad</p>
  <p class="good">Good</p>
  <p class="mild">Mild</p>
  <hr>
  <pre class="plain">pre { white-space: pre }</pre>
  <dl class="facts"><dt>A term</dt><dd>What it means</dd><div><dt>${LONG_NAME}</dt><dd>${LONG_WORD}</dd></div></dl>
  <blockquote>${LONG_NAME}</blockquote>
  <p class="plain">A text
with its own lines</p>
  <p class="cluster apart"><span>Beside</span> <span>each other</span></p>
  <details><summary>Details</summary><p>What was folded.</p></details>`;

const FIELDS = `<div class="choices">
  <label>Text <input type="text" placeholder="Placeholder"></label>
  <label>Filled <input type="text" value="${LONG_WORD}"></label>
  <label>Disabled <input type="text" value="Disabled" disabled></label>
  <label>Password <input type="password" value="four words of anna" autocomplete="off"></label>
  <label>Search <input type="search" placeholder="Search apps"></label>
  <label>Choice <select><option>Most installed</option><option>${LONG_WORD}</option></select></label>
  <label>Long text <textarea rows="3" placeholder="What the publisher reads"></textarea></label>
  <label>File <input type="file"></label>
  <label class="choice"><input type="checkbox" checked> Checked</label>
  <label class="choice"><input type="checkbox"> Not checked</label>
  <label class="choice"><input type="radio" name="one" checked> One</label>
  <label class="choice"><input type="radio" name="one"> The other</label>
</div>`;

/** Markdown of apps and of users, as the store renders it. */
const MARKDOWN = `<div class="text"><h3>A heading</h3><p>Press <kbd>Ctrl</kbd>. <img src="/icon.svg" alt="Mark" width="32" height="32"></p>
  <h4>Below it</h4><h5>And below</h5><h6>And last</h6>
  <blockquote><p>A quotation</p></blockquote>
  <div class="alert note"><p>A note</p></div><div class="alert warning"><p>A warning</p></div>
  <ul><li><input type="checkbox" disabled aria-label="Done"> A task</li></ul>
  <pre><code>svc pack</code></pre>
  <table><tr><th>Column</th></tr><tr><td>A cell</td></tr></table></div>`;

/** Elements and form controls (`base.css`). */
export const elements = (icon: DrawIcon): string =>
  section(
    'elements',
    'Elements',
    part('Text', TEXT),
    part('Markdown', MARKDOWN),
    part('Buttons', buttons(icon)),
    part('Small buttons', '<p><button type="button" class="small">Copy</button></p>'),
    part('Fields', FIELDS),
    part('A picture', '<img src="/icon.svg" alt="Mark of the store" width="56" height="56">'),
  );
