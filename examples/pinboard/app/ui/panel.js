import { ApiError, createBoardApi } from './board-api.js';
import { createBoardTools } from './board-tools.js';
import { connectPanel, PanelError } from './connect-panel.js';
import { pinCard } from './pin-card.js';

const ACCOUNT = 'pinboard';
const KIND_OF_VIEW = { notes: 'note', pictures: 'picture' };
const NOTHING = {
  note: 'No notes yet. Write the first one above.',
  picture: 'No pictures yet. Add some, or drop them here.',
};

const byId = (id) => document.getElementById(id);
const say = (text) => {
  byId('status').textContent = text;
};

const host = await connectPanel({ context: showContext, accounts: refresh, toolCalled: refresh });
/** Uses the API with tokens if the browser allows them in panels; otherwise the tools of the app. */
const hasTokens = host.hostCapabilities.accounts.tokens;
const api = hasTokens ? createBoardApi(() => host.getToken(ACCOUNT)) : createBoardTools(host);

/** Blob URLs of fetched pictures, by id: they exist only in this page, and no URL contains a token. */
const pictures = new Map();

function pictureOf(id) {
  if (!pictures.has(id)) {
    const address = api.picture(id).then((blob) => URL.createObjectURL(blob));
    pictures.set(id, address);
    address.catch(() => pictures.delete(id));
  }
  return pictures.get(id);
}

function letGoOfPictures(pins) {
  const shown = new Set(pins.map(({ id }) => id));
  for (const [id, address] of pictures) {
    if (shown.has(id)) continue;
    pictures.delete(id);
    address.then(URL.revokeObjectURL, () => {});
  }
}

const kindShown = () => KIND_OF_VIEW[host.context.panel.view];

function showContext({ theme, locale, settings }) {
  document.documentElement.style.colorScheme = theme;
  document.documentElement.lang = locale;
  // The setting of the user, if the client provides it; otherwise as many columns as fit.
  const columns = Number(settings?.columns);
  byId('pins').style.columnCount = columns > 0 ? columns : '';
  refresh();
}

/** Shows either the instructions to connect, or the board. */
function showBoard(isConnected) {
  byId('welcome').hidden = isConnected;
  byId('board').hidden = !isConnected;
}

function showProblem(error) {
  const isOver = error instanceof ApiError && error.status === 401;
  if (isOver || (error instanceof PanelError && error.code === 'not-connected')) showBoard(false);
  byId('problem').hidden = false;
  byId('problem').firstElementChild.textContent = isOver
    ? 'The board does not know this sign-in any more. Connect again.'
    : error.message;
}

/** Runs an action of the user and shows its result. */
async function attempt(work) {
  byId('problem').hidden = true;
  try {
    await work();
  } catch (error) {
    say('');
    showProblem(error);
    // Anything but an error of the client or the server is a bug in this page.
    if (!(error instanceof PanelError || error instanceof ApiError)) throw error;
  }
}

/** Numbers the requests, so that a late response to an earlier one is ignored. */
let looks = 0;

function refresh() {
  looks += 1;
  const look = looks;
  return attempt(async () => {
    const account = (await host.listAccounts()).find(({ id }) => id === ACCOUNT);
    if (look !== looks) return;
    showBoard(Boolean(account?.connected));
    if (!account?.connected) return;
    const kind = kindShown();
    const pins = await api.list(kind);
    if (look !== looks) return;
    showPins(pins, kind);
  });
}

function showPins(pins, kind) {
  const { locale } = host.context;
  const remove = (id) =>
    attempt(async () => {
      await api.remove(id);
      say('Removed.');
      await refresh();
    });
  byId('pins').replaceChildren(
    ...pins.map((pin) => pinCard(pin, { locale, pictureOf, remove: () => remove(pin.id) })),
  );
  byId('board').setAttribute('aria-busy', 'false');
  byId('empty').hidden = pins.length > 0;
  byId('empty').textContent = NOTHING[kind] ?? 'Nothing on the board yet. Write a note, add pictures, or drop some here.';
  if (kind !== 'note') letGoOfPictures(pins);
}

/** Pins pictures one after another, and shows the progress. */
async function pinAll(files, bytesOf) {
  for (const [index, file] of files.entries()) {
    say(`Pinning ${index + 1} of ${files.length} …`);
    await api.pinPicture(await bytesOf(file));
  }
  if (files.length > 0) say(files.length === 1 ? 'Pinned one picture.' : `Pinned ${files.length} pictures.`);
}

/** A picked file, which the client resizes before it leaves this computer. */
async function smallOf(file) {
  const small = await host.runMedia(file.id, { op: 'resize', width: 1600 });
  try {
    return await (await fetch(small.url)).blob();
  } finally {
    await host.releaseFile(small.id);
    await host.releaseFile(file.id);
  }
}

byId('connect').addEventListener('click', () => attempt(() => host.connectAccount(ACCOUNT)));
byId('problem').lastElementChild.addEventListener('click', refresh);

byId('add').addEventListener('submit', (event) => {
  event.preventDefault();
  attempt(async () => {
    await api.pinNote(byId('text').value);
    byId('text').value = '';
    say('Pinned a note.');
    await refresh();
  });
});

byId('pick').addEventListener('click', () =>
  attempt(async () => {
    const files = await host.pickFiles({ accept: ['image/*'], multiple: true });
    if (hasTokens) await pinAll(files, smallOf).finally(refresh);
    else if (files.length > 0) await api.pinPicked(files).finally(refresh);
  }),
);

// Dropped files come from the browser, not through the client.
addEventListener('dragover', (event) => {
  event.preventDefault();
  byId('drop').hidden = byId('board').hidden;
});
addEventListener('dragleave', (event) => {
  if (event.relatedTarget === null) byId('drop').hidden = true;
});
addEventListener('drop', (event) => {
  event.preventDefault();
  byId('drop').hidden = true;
  if (byId('board').hidden) return;
  const files = [...event.dataTransfer.files].filter(({ type }) => type.startsWith('image/'));
  attempt(async () => {
    if (!hasTokens) say('Use the button to add pictures: this browser gives panels no tokens.');
    else if (files.length === 0) say('Only pictures can be dropped here.');
    else await pinAll(files, (file) => file).finally(refresh);
  });
});

showContext(host.context);
