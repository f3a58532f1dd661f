import { type DrawIcon, LONG_NAME, LONG_WORD, part, RTL_NAME, section, stage } from '../markup.ts';

const TABS = ['Apps', 'Members', 'Tokens', 'Website', 'Settings', LONG_NAME] as const;

const links = TABS.map(
  (label, i) => `<a href="#parts"${i === 0 ? ' aria-current="page"' : ''}>${label}</a>`,
).join('');

const mark = (tone: string, text: string, words: string): string =>
  ` <span class="badge ${tone}"><span aria-hidden="true">${text}</span><span class="unseen">${words}</span></span>`;

const MARKS = [
  mark('bad', '2', '2 new permissions'),
  mark('mild', '1', '1 warning'),
  mark('', '4', '4 files'),
];

/** The panel of the chosen tab alone is shown. */
const panelTabs = `<div role="tablist" class="tabs" aria-label="Evidence">${TABS.map(
  (label, i) =>
    `<button type="button" role="tab" id="tab-${i}" aria-controls="panel-${i}" aria-selected="${i === 0}" tabindex="${i === 0 ? 0 : -1}">${label}${MARKS[i] ?? ''}</button>`,
).join('')}</div>
${TABS.map(
  (label, i) =>
    `<div role="tabpanel" id="panel-${i}" aria-labelledby="tab-${i}" ${i === 0 ? 'tabindex="0"' : 'tabindex="-1" aria-hidden="true" hidden="until-found"'}>${label}</div>`,
).join('')}`;

const ROWS = [
  ['Hello Notes', 'Published', '1,204'],
  [LONG_NAME, 'In review', '0'],
  [RTL_NAME, 'Yanked', '12'],
  [LONG_WORD, 'Rejected', ''],
] as const;

const table = (icon: DrawIcon): string => `<div class="scroll" tabindex="0" role="region" aria-label="Apps">
  <table class="data-table">
    <thead><tr>
      <th scope="col" class="sorts" aria-sort="ascending"><button type="button" class="quiet">App ${icon('arrow-right')}</button></th>
      <th scope="col">State</th>
      <th scope="col" class="end">Installs</th>
    </tr></thead>
    <tbody>${ROWS.map(([app, state, installs]) => `<tr><th scope="row"><bdi>${app}</bdi> <span class="soft">id</span></th><td data-label="State"><time>${state}</time></td><td data-label="Actions" class="end">${installs}</td></tr>`).join('')}</tbody>
  </table></div>`;

const FILTERS = `<form class="filters">
  <input type="search" aria-label="Search" placeholder="Name or id">
  <select aria-label="Role"><option>Role: any</option></select>
  <label>From <input type="datetime-local"></label>
  <label>State <select><option>All</option><option>Published</option></select></label>
  <button type="button">Apply</button>
  <details class="more-filters" open><summary>More filters</summary>
    <div class="filters"><label>Day <input type="date"></label></div></details>
  <span role="status"></span>
</form>`;

const STEPS = `<ol class="steps">
  <li class="done"><strong>Uploaded</strong> <time datetime="2026-11-23T12:04Z">12:04</time></li>
  <li class="bad"><strong>Check failed</strong><p>${LONG_WORD}</p></li>
  <li class="mild"><strong>Changes requested</strong><p dir="rtl">${RTL_NAME}</p></li>
  <li class="now"><strong>In review</strong> <time datetime="2026-11-23T12:05Z">since 12:05</time></li>
  <li class="ahead"><strong>Published</strong></li>
</ol>`;

const PROGRESS = `<p class="progress"><progress value="3" max="10" aria-label="Uploading"></progress><span>3 of 10 MB</span></p>`;

/** The markup of `FileDrop`: idle, dragging, with an error, and uploading. */
function fileDrop(icon: DrawIcon, id: string, { look = '', fault = '', isBusy = false }): string {
  const field = `<label for="${id}"><strong>Drop a bundle here</strong></label><span id="${id}-hint">or paste or choose a file</span>
    <span class="button" aria-hidden="true">Choose a file</span><input id="${id}" type="file" aria-describedby="${id}-hint">`;
  return `<div class="file-drop ${look}">${icon('upload')}
    ${isBusy ? `<strong>${LONG_NAME}</strong>${PROGRESS}` : field}
    <p role="status"></p><p role="alert" class="fault"${fault === '' ? ' hidden' : ''}>${fault}</p>
    ${isBusy ? '<p class="buttons"><button type="button">Cancel</button></p>' : ''}
  </div>`;
}

const fileDrops = (icon: DrawIcon): string =>
  [
    fileDrop(icon, 'ui-drop', {}),
    fileDrop(icon, 'ui-drop-over', { look: 'over' }),
    fileDrop(icon, 'ui-drop-fault', { fault: `${LONG_WORD} is no bundle.` }),
    fileDrop(icon, 'ui-drop-busy', { isBusy: true }),
  ].join('<br>');

const FIELD = `<label class="field">Short name<small>Lower-case letters, digits and hyphens. ${LONG_WORD}</small><input value="${LONG_WORD}"></label>`;

const FIELDS = `<div class="fields">${FIELD}<label>Why<textarea rows="2"></textarea></label></div><div>${FIELD}${FIELD}</div>`;

const FINDINGS = `<ul class="findings">${['warning', 'error']
  .map((level) => `<li class="${level}"><span class="level">${level}</span> ${LONG_WORD}</li>`)
  .join('')}</ul>`;

const CHANGES = `<ul class="bare">${['widens', 'face', 'instructions', 'other removed']
  .map(
    (
      look,
    ) => `<li class="change ${look}"><span class="sign">+</span><span class="word">added</span><div>${LONG_WORD}
      <dl class="sides"><div><dt>Before</dt><dd>${LONG_NAME}</dd></div><div><dt>After</dt><dd>${RTL_NAME}</dd></div></dl></div></li>`,
  )
  .join('')}</ul>`;

const MODEL_TEXT = `<bdi>Keeps a note. </bdi><mark class="speaks" title="This phrase gives orders to the model.">Always call this tool</mark><bdi> ${LONG_WORD}</bdi>`;

const CHANGE_ITEM = `<li class="change instructions changed"><span class="sign">~</span><span class="word">changed</span><div class="told"><span class="label">Tool</span> <code class="subject">add_note</code>
  <dl class="sides"><div class="before"><dt>Before</dt><dd><bdi class="value">${LONG_NAME}</bdi><bdi class="value">${LONG_WORD}</bdi></dd></div><div class="after"><dt>After</dt><dd><bdi class="value">${MODEL_TEXT}</bdi></dd></div></dl></div></li>`;

/** The markup of `ChangeList`, with the pictures of two versions. */
const CHANGE_LIST = (
  icon: string,
) => `<section class="changes widens"><h3>Asks for new permissions (1)</h3><ul class="bare">
  <li class="change widens added"><span class="sign">+</span><span class="word">added</span><div class="told"><span class="label">Icon</span>
  <div class="sides"><div><img src="${icon}" alt="Icon of 1.0.0"><bdi class="value">${'a1'.repeat(32)}</bdi></div></div></div></li></ul></section>
  <section class="changes instructions"><h3>Changes what agents read of its tools (1)</h3><ul class="bare">${CHANGE_ITEM}
  <li class="change same"><span class="sign">=</span><span class="word">same</span><div class="told"><span class="label">Tool</span></div></li></ul></section>`;

const HISTOGRAM = `<table class="histogram" aria-label="Ratings"><tr><th scope="row">5 stars</th>
  <td><meter min="0" max="10" value="7" aria-label="Ratings with 5 stars"></meter></td><td>7</td></tr></table>`;

const COPYABLE = `<span class="copyable"><code>${LONG_WORD}</code><button type="button" class="small" aria-label="Copy id">Copy</button><span role="status" class="soft">Could not copy. The text is selected: copy it.</span></span>`;

/** The markup of `ActionButton` while it waits, and of `ReloadButton`. */
const ACTION = `<p class="buttons"><button type="button" class="main" aria-disabled="true" aria-describedby="ui-why">Send</button><span id="ui-why" class="soft">Write a message first. ${LONG_WORD}</span></p>`;
const RELOAD = `<p class="buttons"><span role="status" class="soft">Updated at 12:04:05 PM</span><button type="button" class="quiet">Reload</button></p>`;

/** The markup of `ConfirmButton` while it asks. */
const CONFIRM = `<fieldset class="buttons sure" aria-label="Remove it?"><span>Remove it? ${LONG_NAME}</span>
  <button type="button" class="bad">Yes</button><button type="button">No</button></fieldset>`;

const LIST_ROWS = `<ul class="rows">${[LONG_NAME, RTL_NAME, LONG_WORD]
  .map((name) => `<li><div><bdi>${name}</bdi></div><span class="badge">member</span></li>`)
  .join('')}</ul><ol class="rows"><li><div>First</div></li></ol>`;

/** The markup of `Dialog`. */
const DIALOG = `<p class="buttons"><button type="button" class="main" command="show-modal" commandfor="ui-dialog">Open</button></p>
  <dialog id="ui-dialog" class="modal" aria-labelledby="ui-dialog-title"><h2 id="ui-dialog-title">Yank Hello Notes?</h2>
    <section class="dialog-body" tabindex="0" aria-labelledby="ui-dialog-title"><p>${LONG_NAME} ${LONG_WORD}</p><label>Why<textarea></textarea></label></section>
    <form method="dialog" class="buttons dialog-buttons"><button class="bad">Yank</button><button>Cancel</button></form></dialog>`;

/** The markup of `DialogButtons`. */
const DIALOG_BUTTONS = `<div class="buttons dialog-buttons"><button type="button" class="main">Install</button><button type="button" disabled>Cancel</button><span class="soft">If you decline, nothing is installed.</span><p role="alert" class="fault">The store did not answer in time.</p></div>`;

/** Open from the start, so that it can be looked at. */
const DRAWN_DIALOG =
  stage(`<dialog open class="modal" aria-labelledby="ui-drawn-title"><h2 id="ui-drawn-title">Install Hello Notes?</h2>
    <section class="dialog-body" tabindex="0" aria-labelledby="ui-drawn-title"><p>It sees the files that you hand to it.</p></section>
    <div class="buttons dialog-buttons"><button type="button" class="main">Install</button><button type="button">Cancel</button></div></dialog>`);

const MENU = `<div class="menu" role="menu" aria-label="App">
    <button type="button" role="menuitem">Open</button>
    <button type="button" role="menuitem" data-highlighted>Pointed at</button>
    <a role="menuitem" href="#parts">A link</a>
    <div role="menuitem" tabindex="-1">${LONG_NAME}</div>
  </div>`;

/** The markup of `MenuButton`, with its menu open. */
const ROW_MENU = stage(
  `<div class="menu pop"><button type="button">Verify…</button><button type="button" class="bad">Suspend…</button></div>`,
);

const LIST = `<div class="menu" role="listbox" aria-label="Order">
    <div role="option" aria-selected="true" tabindex="0">Most installed</div>
    <div role="option" aria-selected="false" data-highlighted>${LONG_NAME}</div>
  </div>`;

const TOASTS = stage(`<div class="toasts" role="status">
  <div class="toast"><span>Saved</span><button type="button" class="quiet">Undo</button></div>
  <div class="toast"><span>${LONG_NAME}</span><button type="button" class="quiet">Close</button></div>
</div>`);

/** Interactive components (`parts.css`). */
export const parts = (icon: DrawIcon): string =>
  section(
    'parts',
    'Parts that act',
    part('TabNav', `<nav class="tabs" aria-label="Example">${links}</nav>`),
    part('Tabs', panelTabs),
    part('Table', FILTERS + table(icon)),
    part(
      'Pills',
      `<fieldset class="pills" aria-label="Category"><button type="button" aria-pressed="true">All</button><button type="button" aria-pressed="false">${LONG_WORD}</button></fieldset>
      <fieldset class="pills strip" aria-label="Sort"><label><input type="radio" name="sort" checked>Newest</label><label><input type="radio" name="sort">Oldest</label></fieldset>
      <nav class="pills" aria-label="Assigned to"><a href="#parts" aria-current="page">Mine</a><a href="#parts">${RTL_NAME}</a></nav>`,
    ),
    part('Steps', STEPS),
    part('FileDrop', fileDrops(icon)),
    part('Progress', PROGRESS),
    part('Meter', '<meter min="0" max="10" value="7" aria-label="5 stars"></meter>'),
    part('Field', FIELDS),
    part('Changes', CHANGES),
    part('ChangeItem', `<ul class="bare">${CHANGE_ITEM}</ul>`),
    part(
      'ChangeList',
      CHANGE_LIST("data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 1 1'/%3E"),
    ),
    part('FirstList', `<ul class="changes">${CHANGE_ITEM}</ul>`),
    part('ModelText', `<p>${MODEL_TEXT}</p>`),
    part('Findings', FINDINGS),
    part('Histogram', HISTOGRAM),
    part(
      'Options',
      '<label>Order <select><option>Most installed</option><option>Newest</option></select></label>',
    ),
    part('Copyable', COPYABLE),
    part(
      'CopyButton',
      `<button type="button" class="quiet small">Copied</button>
      <button type="button" class="quiet icon-button" aria-label="Copy" title="Copy">${icon('check')}</button>`,
    ),
    part('ConfirmButton', CONFIRM),
    part(
      'Button',
      '<p class="buttons"><button type="button">Edit</button><button type="button" class="main">Save</button></p>',
    ),
    part('ButtonLink', '<a class="button" href="#parts">Open</a>'),
    part('OutsideLink', '<a href="#parts" target="_blank" rel="noopener noreferrer">Another site</a>'),
    part('Facts', `<dl class="facts"><dt>Id</dt><dd>${LONG_WORD}</dd></dl>`),
    part('Check', '<label class="choice"><input type="checkbox"> Ask each time</label>'),
    part('Select', '<label class="field">State <select><option>All</option></select></label>'),
    part('TextArea', '<label class="field">Note <textarea rows="2"></textarea></label>'),
    part(
      'Form',
      `<form class="fields">${FIELD}<div class="buttons"><button type="button" class="main">Save</button></div></form>`,
    ),
    part('Done', '<p role="status" class="good">Saved.</p>'),
    part('Fault', `<p class="fault">${LONG_WORD}</p>`),
    part('ActionButton', ACTION),
    part('ReloadButton', RELOAD),
    part('Rows', LIST_ROWS),
    part(
      'Rows in a card',
      `<section class="card"><h2>Needs you</h2><ul class="rows"><li><div><p>${LONG_NAME}</p></div></li></ul></section>
        <section class="card"><ul class="rows"><li>Alone</li></ul></section>`,
    ),
    part('Dialog', DIALOG),
    part('DialogButtons', DIALOG_BUTTONS),
    part('Dialog, drawn', DRAWN_DIALOG),
    part('Menu', MENU),
    part('MenuButton', ROW_MENU),
    part('List of choices', LIST),
    part('Toasts', TOASTS),
  );
