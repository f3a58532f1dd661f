import { everybody, get, people, peoplePage, type Rows, visitors } from './answers.ts';

const ME = '/api/people/me';
const CREDENTIAL = { id: 'a', rawId: 'a', type: 'public-key', clientExtensionResults: {} };
const PASSKEY = {
  credential: { ...CREDENTIAL, response: { clientDataJSON: 'a', authenticatorData: 'a', signature: 'a' } },
};
const NEW_PASSKEY = {
  label: 'x',
  credential: { ...CREDENTIAL, response: { clientDataJSON: 'a', attestationObject: 'a' } },
};

/** Routes of sign-in and the own account. */
export const peopleRows = {
  // Forms of visitors need a CSRF token, which roles without a page do not have here.
  signInPage: { ask: get('/sign-in'), answers: everybody(200) },
  signUpPage: { ask: get('/sign-up'), answers: everybody(200) },
  signIn: {
    ask: () => ({ method: 'POST', path: '/sign-in', form: { email: 'a@example.com', password: 'wrong' } }),
    answers: everybody('forbidden'),
  },
  signUp: {
    ask: (_world, role) => ({
      method: 'POST',
      path: '/sign-up',
      form: {
        // Spelt backwards: names of roles are reserved.
        name: `Guest ${[...role].reverse().join('')}`,
        email: `new-${role}@example.com`,
        password: 'correct horse battery',
      },
    }),
    answers: visitors(303),
  },
  signOut: { ask: () => ({ method: 'POST', path: '/sign-out', form: {} }), answers: visitors(303) },
  passkeySignInOptions: {
    ask: () => ({ method: 'POST', path: '/api/sign-in/passkey/options' }),
    answers: visitors(200),
  },
  passkeySignIn: {
    ask: () => ({ method: 'POST', path: '/api/sign-in/passkey', json: PASSKEY }),
    // No sign-in was started.
    answers: everybody('forbidden'),
  },
  passkeySignUpOptions: {
    ask: (_world, role) => ({
      method: 'POST',
      path: '/api/sign-up/passkey/options',
      json: { name: `Guest ${[...role].reverse().join('')}`, email: `other-${role}@example.com` },
    }),
    answers: visitors(200),
  },
  passkeySignUp: {
    ask: () => ({
      method: 'POST',
      path: '/api/sign-up/passkey',
      json: { name: 'Guest', email: 'guest@example.com', credential: NEW_PASSKEY.credential },
    }),
    // No sign-up was started.
    answers: everybody('forbidden'),
  },
  beginProviderSignIn: { ask: get('/sign-in/nobody'), answers: everybody('not_found') },
  endProviderSignIn: { ask: get('/sign-in/nobody/callback'), answers: everybody('not_found') },
  // Only with the token of an identity provider, of which this store has none.
  scimList: {
    ask: () => ({ method: 'GET', path: '/scim/acme/v2/Users' }),
    answers: everybody('unauthorized'),
  },
  scimAdd: {
    ask: () => ({ method: 'POST', path: '/scim/acme/v2/Users', json: {} }),
    answers: everybody('unauthorized'),
  },
  scimGet: {
    ask: () => ({ method: 'GET', path: '/scim/acme/v2/Users/1' }),
    answers: everybody('unauthorized'),
  },
  scimReplace: {
    ask: () => ({ method: 'PUT', path: '/scim/acme/v2/Users/1', json: {} }),
    answers: everybody('unauthorized'),
  },
  scimPatch: {
    ask: () => ({ method: 'PATCH', path: '/scim/acme/v2/Users/1', json: {} }),
    answers: everybody('unauthorized'),
  },
  scimRemove: {
    ask: () => ({ method: 'DELETE', path: '/scim/acme/v2/Users/1' }),
    answers: everybody('unauthorized'),
  },
  providerLogout: {
    ask: () => ({ method: 'POST', path: '/sign-in/unknown/logout', form: { logout_token: 'a.b.c' } }),
    answers: everybody('not_found'),
  },
  resetPage: { ask: get('/reset?key=a.b.c'), answers: everybody('not_found') },
  reset: {
    ask: () => ({
      method: 'POST',
      path: '/reset',
      form: { key: 'a.b.c', password: 'correct horse battery' },
    }),
    answers: visitors('not_found'),
  },
  // The store sends no mail.
  forgottenPage: { ask: get('/forgotten'), answers: everybody('not_found') },
  forgotten: {
    ask: () => ({ method: 'POST', path: '/forgotten', form: { email: 'a@example.com' } }),
    answers: visitors('not_found'),
  },
  sendConfirmation: {
    ask: () => ({ method: 'POST', path: `${ME}/email/confirmation` }),
    answers: people('not_found'),
  },
  confirmPage: { ask: get('/confirm?key=a.b.c'), answers: peoplePage('not_found') },
  confirm: {
    ask: () => ({ method: 'POST', path: '/confirm', form: { key: 'a.b.c' } }),
    answers: people('not_found'),
  },
  requestAddress: {
    ask: () => ({ method: 'PUT', path: `${ME}/email`, json: { email: 'new@example.com' } }),
    answers: people('not_found'),
  },
  addressPage: { ask: get('/change-address?key=a.b.c.d'), answers: peoplePage('not_found') },
  changeAddress: {
    ask: () => ({ method: 'POST', path: '/change-address', form: { key: 'a.b.c.d' } }),
    answers: people('not_found'),
  },
  // There is already an administrator.
  setupPage: { ask: get('/setup?key=abc'), answers: everybody('not_found') },
  setup: {
    ask: () => ({ method: 'POST', path: '/setup', form: { key: 'abc' } }),
    answers: visitors('not_found'),
  },

  me: { ask: get(ME), answers: people(200) },
  changeMe: { ask: () => ({ method: 'PATCH', path: ME, json: { name: 'New' } }), answers: people(200) },
  recoveredActs: { ask: get(`${ME}/recovery`), answers: people(200) },
  // None of them recovered their account.
  undoRecovered: {
    ask: () => ({ method: 'POST', path: `${ME}/recovery/1/undo` }),
    answers: people('not_found'),
  },
  myMails: { ask: get(`${ME}/mails`), answers: people(200) },
  chooseMails: {
    ask: () => ({
      method: 'PUT',
      path: `${ME}/mails`,
      json: { reviews: 'daily', appeals: 'off', apps: 'at-once', moderation: 'at-once' },
    }),
    answers: people(200),
  },
  // The key of a mail, and no session, decides.
  unsubscribePage: { ask: get('/unsubscribe?key=a.reviews.b'), answers: everybody('not_found') },
  unsubscribe: {
    ask: () => ({ method: 'POST', path: '/unsubscribe?key=a.reviews.b', form: {} }),
    answers: everybody('not_found'),
  },
  exportMe: { ask: get(`${ME}/export`), answers: people(200) },
  // The stranger is the only owner of a publisher. The token is that of the member, whose account is deleted by then.
  deleteMe: {
    ask: () => ({ method: 'DELETE', path: ME }),
    answers: { ...people(200), stranger: 'last_owner', token: 'unauthorized' },
  },
  endSession: {
    ask: () => ({ method: 'DELETE', path: `${ME}/sessions/of-somebody-else` }),
    answers: people('not_found'),
  },
  endSessions: { ask: () => ({ method: 'DELETE', path: `${ME}/sessions` }), answers: people(200) },
  setPassword: {
    ask: () => ({ method: 'PUT', path: `${ME}/password`, json: { password: 'correct horse battery' } }),
    answers: people(200),
  },
  removePassword: { ask: () => ({ method: 'DELETE', path: `${ME}/password` }), answers: people('not_found') },
  passkeyOptions: { ask: () => ({ method: 'POST', path: `${ME}/passkeys/options` }), answers: people(200) },
  addPasskey: {
    ask: () => ({ method: 'POST', path: `${ME}/passkeys`, json: NEW_PASSKEY }),
    // No sign-in was started.
    answers: people('forbidden'),
  },
  renamePasskey: {
    ask: () => ({ method: 'PATCH', path: `${ME}/passkeys/of-somebody-else`, json: { label: 'x' } }),
    answers: people('not_found'),
  },
  proveIdentity: {
    ask: () => ({ method: 'POST', path: `${ME}/proof`, json: { password: 'wrong' } }),
    answers: people('forbidden'),
  },
  proofOptions: { ask: () => ({ method: 'POST', path: `${ME}/proof/options` }), answers: people(200) },
  removePasskey: {
    ask: () => ({ method: 'DELETE', path: `${ME}/passkeys/of-somebody-else` }),
    answers: people('not_found'),
  },
  linkIdentity: {
    ask: () => ({ method: 'POST', path: `${ME}/identities/nobody` }),
    answers: people('not_found'),
  },
  unlinkIdentity: {
    ask: () => ({ method: 'DELETE', path: `${ME}/identities/of-somebody-else` }),
    answers: people('not_found'),
  },
} satisfies Rows;
