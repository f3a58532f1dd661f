// What the pages about people do beyond forms: passkeys, and changes to one's own account. It needs no library: browsers
// read and write the JSON forms of WebAuthn themselves (WebAuthn section 5.1).

const { csrf = '', next = '' } = document.querySelector('main')?.dataset ?? {};

/** Asks the store; what it refuses is thrown as the sentence that it gave. */
async function ask(method, path, body) {
  const answer = await fetch(path, {
    method,
    headers: { 'X-Svc-Csrf': csrf, ...(body && { 'Content-Type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  const told = await answer.json();
  if (answer.ok) return told;
  throw new Error(told.issues?.map(({ message }) => message).join(' ') ?? told.message);
}

const fieldsOf = (form) => Object.fromEntries([...new FormData(form)].filter(([, value]) => value !== ''));

/** What a form does, by its `data-does`. */
const DEEDS = {
  async 'passkey.sign-in'() {
    const options = await ask('POST', '/api/sign-in/passkey/options');
    const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options);
    const credential = await navigator.credentials.get({ publicKey });
    const { url } = await ask('POST', '/api/sign-in/passkey', { next, credential: credential.toJSON() });
    location.assign(url);
  },
  async 'passkey.add'(form) {
    const options = await ask('POST', '/api/people/me/passkeys/options');
    const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options);
    const credential = await navigator.credentials.create({ publicKey });
    await ask('POST', '/api/people/me/passkeys', { ...fieldsOf(form), credential: credential.toJSON() });
    location.reload();
  },
  async 'identity.add'(form) {
    const { url } = await ask('POST', form.dataset.path);
    location.assign(url);
  },
  async change(form) {
    const fields = fieldsOf(form);
    const body = Object.keys(fields).length > 0 ? fields : undefined;
    await ask(form.dataset.method, form.dataset.path, body);
    if (form.dataset.leadsTo) location.assign(form.dataset.leadsTo);
    else location.reload();
  },
};

/** What a browser says when somebody changed their mind, or waited too long. */
const sentenceOf = (error) =>
  error instanceof DOMException ? 'That was cut off, or this device cannot do it.' : error.message;

async function act(form) {
  const fault = form.querySelector('.fault');
  const button = form.querySelector('button');
  fault.textContent = '';
  button.disabled = true;
  try {
    await DEEDS[form.dataset.does](form);
  } catch (error) {
    fault.textContent = sentenceOf(error);
  }
  button.disabled = false;
}

for (const form of document.querySelectorAll('form[data-does]')) {
  // Without this script, or without passkeys in this browser, they would do nothing.
  form.hidden = form.dataset.does.startsWith('passkey.') && !('PublicKeyCredential' in window);
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void act(form);
  });
}
