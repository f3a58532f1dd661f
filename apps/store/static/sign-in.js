// Signing in and up with a passkey, which no form can do. It needs no library: browsers read and write the JSON forms of WebAuthn
// themselves (WebAuthn section 5.1).

const { csrf = '', next = '' } = document.querySelector('main')?.dataset ?? {};

// What a client told a page that leads here, behind the # of its address, is taken back to it: a browser keeps it when it is
// redirected (Fetch standard, HTTP-redirect fetch), and sends it to nobody. In the address bar it does not stay.
const told = location.hash.startsWith('#install=') ? location.hash : '';
if (told) {
  history.replaceState(history.state, '', location.pathname + location.search);
  for (const form of document.querySelectorAll('form[action^="/sign-"]')) form.action += told;
  for (const link of document.querySelectorAll('a[href^="/sign-"]')) link.hash = told;
}

/** Asks the store; what it refuses is thrown as the sentence that it gave. */
async function ask(path, body) {
  const sent = fetch(path, {
    method: 'POST',
    headers: { 'X-Svc-Csrf': csrf, ...(body && { 'Content-Type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  const [answer, said] = await sent
    .then(async (answer) => [answer, await answer.json()])
    .catch(() => {
      throw new Error('The store cannot be reached. Check your connection, and try again.');
    });
  if (answer.ok) return said;
  throw new Error(said.issues?.map(({ message }) => message).join(' ') ?? said.message);
}

async function signIn() {
  const options = await ask('/api/sign-in/passkey/options');
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options);
  const credential = await navigator.credentials.get({ publicKey });
  const { url } = await ask('/api/sign-in/passkey', { next, credential: credential.toJSON() });
  location.assign(url + told);
}

async function signUp(form) {
  const fields = [form.elements.namedItem('name'), form.elements.namedItem('email')];
  if (!fields.every((field) => field.reportValidity())) return;
  const [name, email] = fields.map(({ value }) => value);
  const options = await ask('/api/sign-up/passkey/options', { name, email, next });
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options);
  const credential = await navigator.credentials.create({ publicKey });
  const body = { name, email, next, credential: credential.toJSON() };
  const { url } = await ask('/api/sign-up/passkey', body);
  location.assign(url + told);
}

/** Proves the identity of a signed-in user, and sends the form that waits for it. */
async function prove(form) {
  const options = await ask('/api/people/me/proof/options');
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options);
  const credential = await navigator.credentials.get({ publicKey });
  await ask('/api/people/me/proof', { credential: credential.toJSON() });
  form.submit();
}

// A sign-in in another tab has replaced the session, and with it the token of this form.
const waiting = document.querySelector('form[data-proof]');
waiting?.addEventListener('submit', async (event) => {
  event.preventDefault();
  const me = await fetch('/api/people/me')
    .then((answer) => answer.json())
    .catch(() => ({}));
  if (me.csrf) waiting.elements.namedItem('csrf').value = me.csrf;
  waiting.submit();
});

/** What a browser says when somebody changed their mind, or waited too long. */
const sentenceOf = (error) =>
  error instanceof DOMException ? 'That was cut off, or this device cannot do it.' : error.message;

// What is typed into a password field can be shown, and counted against its least length.
for (const field of document.querySelectorAll('[type="password"]')) {
  const show = Object.assign(document.createElement('button'), { type: 'button', textContent: 'Show' });
  show.className = 'quiet';
  show.setAttribute('aria-controls', field.id);
  show.addEventListener('click', () => {
    const isHidden = field.type === 'password';
    field.type = isHidden ? 'text' : 'password';
    show.textContent = isHidden ? 'Hide' : 'Show';
  });
  document.querySelector(`label[for="${field.id}"]`).parentElement.append(show);
  const meter = field.nextElementSibling;
  if (meter?.localName !== 'meter') continue;
  meter.hidden = false;
  field.addEventListener('input', () => {
    meter.value = [...field.value].length;
  });
}

// Without this script, or without passkeys in this browser, it would do nothing.
const part = 'PublicKeyCredential' in window && document.querySelector('[data-passkey]');
if (part) {
  const form = part.closest('form');
  const button = part.querySelector('button');
  part.hidden = false;
  button.addEventListener('click', async (event) => {
    event.preventDefault();
    const fault = form.querySelector('.fault');
    fault.textContent = '';
    button.disabled = true;
    await (part === form ? signIn() : form === waiting ? prove(form) : signUp(form)).catch((error) => {
      fault.textContent = sentenceOf(error);
    });
    button.disabled = false;
  });
}
