// What the public pages do better with a script than without: search while somebody types, and pictures shown large. The
// pages themselves are made by the store; this asks for them again and takes over their results.

const WAIT_MS = 150;

function searchAsYouType(form) {
  let timer;
  let asking = new AbortController();
  // A status that stays: screen readers do not read one that arrives together with its text.
  const status = document.createElement('p');
  status.role = 'status';
  form.after(status);
  const say = (text, look) => {
    status.className = look;
    status.textContent = text;
  };

  async function show(address, failed) {
    asking.abort();
    asking = new AbortController();
    const { signal } = asking;
    document.getElementById('results').ariaBusy = 'true';
    try {
      const answer = await fetch(address, { signal });
      if (!answer.ok) throw new Error(`The store answered ${answer.status}.`);
      const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
      const results = page.getElementById('results');
      if (!results || signal.aborted) return;
      document.getElementById('results').replaceWith(results);
      say(results.querySelector('#count').textContent, 'unseen');
      document.title = page.title;
      history.replaceState(null, '', address);
    } catch {
      if (signal.aborted) return;
      document.getElementById('results').ariaBusy = null;
      failed(address);
    }
  }
  // Without the script's answer the form still has its own way. A visitor who types stays on the page.
  const go = (address) => location.assign(address);
  const stay = () => say('The store cannot be reached. These are the results of before.', 'fault');

  // A category has a page of its own; a search within it is a search.
  const address = (...without) => {
    const query = new URLSearchParams(new FormData(form));
    for (const [name, value] of [...query])
      if (value.trim() === '' || without.includes(name)) query.delete(name);
    const { category } = form.dataset;
    const path = category !== undefined && !query.has('q') ? category : '/';
    if (path === category) query.delete('category');
    return query.size === 0 ? path : `${path}?${query}`;
  };
  // A word that was just begun is looked for by relevance, whatever order was chosen for browsing.
  const typed = () => address('sort');

  form.q.addEventListener('input', () => {
    clearTimeout(timer);
    timer = setTimeout(() => show(typed(), stay), WAIT_MS);
  });
  // The field of the order is in the part of the page that is replaced.
  document.addEventListener('change', ({ target }) => target.name === 'sort' && show(address(), go));
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    clearTimeout(timer);
    show(address(), go);
  });
}

function button(label, act) {
  const made = document.createElement('button');
  made.type = 'button';
  made.textContent = label;
  made.addEventListener('click', act);
  return made;
}

function pictureViewer(dialog, links) {
  const picture = document.createElement('img');
  picture.className = 'shown';
  const bar = document.createElement('p');
  bar.className = 'bar cluster';
  let at = 0;
  const turnTo = (n) => {
    at = (n + links.length) % links.length;
    const shown = links[at].querySelector('img');
    picture.src = links[at].href;
    picture.alt = shown.alt;
  };
  const { close, next, previous } = dialog.dataset;
  if (links.length > 1)
    bar.append(
      button(previous, () => turnTo(at - 1)),
      button(next, () => turnTo(at + 1)),
    );
  bar.append(button(close, () => dialog.close()));
  dialog.append(picture, bar);
  dialog.addEventListener('keydown', ({ key }) => {
    if (key === 'ArrowRight') turnTo(at + 1);
    if (key === 'ArrowLeft') turnTo(at - 1);
  });
  dialog.addEventListener('click', ({ target }) => target === dialog && dialog.close());
  for (const [n, link] of links.entries()) {
    link.addEventListener('click', (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      turnTo(n);
      dialog.showModal();
    });
  }
}

const HANDOVER_MS = 1500;

// A client that opens takes the focus of this page. Where nothing takes it, no program opens such links.
function openInClient(links, sheet) {
  for (const link of links)
    link.addEventListener('click', () => {
      const waiting = new AbortController();
      const timer = setTimeout(() => {
        waiting.abort();
        if (sheet.open) return;
        sheet.querySelector('h2').textContent = link.dataset.client;
        sheet.showModal();
      }, HANDOVER_MS);
      const leave = () => {
        clearTimeout(timer);
        waiting.abort();
        link.parentElement.querySelector('[data-handed]')?.removeAttribute('hidden');
      };
      for (const name of ['blur', 'pagehide']) addEventListener(name, leave, waiting);
      document.addEventListener('visibilitychange', leave, waiting);
    });
  document.querySelector('[data-get-client]')?.addEventListener('click', (event) => {
    event.preventDefault();
    sheet.showModal();
  });
  sheet.querySelector('[data-close]').addEventListener('click', () => sheet.close());
  sheet.addEventListener('click', ({ target }) => target === sheet && sheet.close());
}

const form = document.querySelector('form.search');
if (form) searchAsYouType(form);
const dialog = document.querySelector('dialog.viewer');
if (dialog) pictureViewer(dialog, [...document.querySelectorAll('[data-picture]')]);
const sheet = document.querySelector('dialog.client-sheet');
if (sheet) openInClient(document.querySelectorAll('[data-client]'), sheet);
