'use strict';

/** Key in `localStorage` for drafts, if the client allows panels to store data. */
const KEY = 'hello-notes.drafts';

const LONGEST_EXCERPT = 240;

const at = (id) => document.getElementById(id);

/** A sandboxed panel may have no storage; drafts are then lost when the panel closes. */
function load() {
  try {
    const kept = JSON.parse(localStorage.getItem(KEY) ?? '[]');
    return Array.isArray(kept) ? kept.filter(isDraft) : [];
  } catch {
    return [];
  }
}

function isDraft(value) {
  return typeof value?.title === 'string' && typeof value?.text === 'string';
}

function keep() {
  try {
    localStorage.setItem(KEY, JSON.stringify(drafts));
  } catch {
    // Storage is not allowed or full: the drafts exist only on the screen.
  }
}

let drafts = load();
let editing = null;

/** Announces a message to screen readers. */
function say(text) {
  at('said').textContent = text;
}

function countWords() {
  const words = at('text').value.trim().split(/\s+/).filter(Boolean).length;
  at('counter').textContent = words === 1 ? '1 word' : `${words} words`;
}

function matches({ title, text }, words) {
  const whole = `${title}\n${text}`.toLocaleLowerCase();
  return words.every((word) => whole.includes(word));
}

const excerptOf = (text) => (text.length > LONGEST_EXCERPT ? `${text.slice(0, LONGEST_EXCERPT)}…` : text);

function rowOf(draft) {
  const row = at('draft').content.firstElementChild.cloneNode(true);
  row.querySelector('h3').textContent = draft.title;
  row.querySelector('.excerpt').textContent = excerptOf(draft.text);
  for (const button of row.querySelectorAll('button')) {
    button.setAttribute('aria-label', `${button.textContent} “${draft.title}”`);
    button.addEventListener('click', () => ACTIONS[button.dataset.do](draft));
  }
  return row;
}

function show() {
  const words = at('filter').value.toLocaleLowerCase().split(/\s+/).filter(Boolean);
  const shown = drafts.filter((draft) => matches(draft, words));
  at('drafts').replaceChildren(...shown.map(rowOf));
  at('empty').hidden = shown.length > 0;
  at('empty').textContent = drafts.length > 0 ? 'No draft has these words.' : 'Nothing kept yet.';
}

function edit(draft) {
  editing = draft;
  at('title').value = draft?.title ?? '';
  at('text').value = draft?.text ?? '';
  at('cancel').hidden = draft === null;
  at('save').textContent = draft === null ? 'Keep draft' : 'Keep changes';
  countWords();
  at('title').focus();
}

async function copy(draft) {
  try {
    await navigator.clipboard.writeText(`# ${draft.title}\n\n${draft.text}\n`);
    say(`Copied “${draft.title}”.`);
  } catch {
    say('The client does not let this panel copy. Open the draft and copy it by hand.');
  }
}

function drop(draft) {
  drafts = drafts.filter((other) => other !== draft);
  if (editing === draft) edit(null);
  keep();
  show();
  say(`Discarded “${draft.title}”.`);
  at('filter').focus();
}

const ACTIONS = { edit, copy, drop };

function save(event) {
  event.preventDefault();
  const draft = { title: at('title').value.trim(), text: at('text').value.trim() };
  if (draft.title === '') return;
  drafts = [draft, ...drafts.filter((other) => other !== editing)];
  keep();
  edit(null);
  show();
  say(`Kept “${draft.title}”.`);
}

at('editor').addEventListener('submit', save);
at('cancel').addEventListener('click', () => edit(null));
at('text').addEventListener('input', countWords);
at('filter').addEventListener('input', show);
show();
