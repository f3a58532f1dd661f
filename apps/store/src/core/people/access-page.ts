import type { AccessPreset, AccessRules } from '@svc/contracts';
import { html } from 'hono/html';
import { csrfField, formPage } from '../../http/form.ts';
import type { Html } from '../../http/html.ts';
import type { Page } from '../../http/page.ts';

export type AccessPage = {
  csrf: string;
  /** The rules in force. */
  rules: AccessRules;
  /** The rules that settings define. */
  given: Partial<AccessRules>;
  /** The steps of the setup, of which it is the last; null when it is opened later. */
  steps: number | null;
};

type Preset = { name: string; sentence: string; rules: Partial<AccessRules> };

/** Rules that belong together, most open first; last the ones that are chosen one by one. */
const PRESETS: Readonly<Record<AccessPreset, Preset>> = {
  public: {
    name: 'Public store',
    sentence: 'Everyone may sign up, publish, and install apps.',
    rules: { signUp: 'open', publishers: 'open', read: 'public' },
  },
  company: {
    name: 'Company store',
    sentence:
      'Users sign up with an invitation. Administrators create publishers. Only users see and install apps.',
    rules: { signUp: 'invited', publishers: 'approved', read: 'members' },
  },
  private: {
    name: 'Private store',
    sentence: 'Administrators add each user and create publishers. Only users see and install apps.',
    rules: { signUp: 'closed', publishers: 'approved', read: 'members' },
  },
  custom: { name: 'Custom', sentence: 'Choose each rule.', rules: {} },
};

/** The rules one by one, each with what sets it instead. */
const QUESTIONS: {
  readonly [Rule in keyof AccessRules]: {
    variable: string;
    legend: string;
    choices: Readonly<Record<AccessRules[Rule], string>>;
  };
} = {
  signUp: {
    variable: 'SVC_SIGN_UP',
    legend: 'Who can create an account?',
    choices: {
      open: 'Everyone',
      invited: 'Users with an invitation to a publisher, and users added by an administrator',
      closed: 'Only users added by an administrator',
    },
  },
  publishers: {
    variable: 'SVC_PUBLISHERS',
    legend: 'Who can create a publisher?',
    choices: { open: 'Everyone with an account', approved: 'Only administrators' },
  },
  read: {
    variable: 'SVC_READ',
    legend: 'Who can see and install apps?',
    choices: {
      public: 'Everyone',
      members: 'Only users with an account, and clients with one of their tokens',
    },
  },
  roles: {
    variable: 'rolesNeedPasskey',
    legend: 'How do moderators and administrators sign in?',
    choices: {
      grace: 'With a passkey, which each has 14 days to add',
      passkey: 'With a passkey from the start: without one, a role has no effect',
      any: 'In any way, also with a password alone',
    },
  },
};

/** Why an administrator cannot choose how users with a role sign in. */
const ROLES_GIVEN = html`<p class="hint">Set by <code>rolesNeedPasskey</code> in the policy file, or because users of this store cannot have passkeys: they sign in with a provider alone, or <code>SVC_BASE_URL</code> is neither an https address with a host name nor localhost.</p>`;

function question(rule: keyof AccessRules, { rules, given }: AccessPage): Html {
  const { variable, legend, choices } = QUESTIONS[rule];
  const isGiven = given[rule] !== undefined;
  const options = Object.entries<string>(choices).map(
    ([choice, label]) =>
      html`<label class="choice"><input type="radio" name="${rule}" value="${choice}"${
        rules[rule] === choice ? html` checked` : ''
      }${isGiven ? html` disabled` : ''}> <span>${label}</span></label>`,
  );
  return html`<fieldset>
      <legend>${legend}</legend>
      ${options}
      ${isGiven && rule === 'roles' ? ROLES_GIVEN : ''}
      ${isGiven && rule !== 'roles' ? html`<p class="hint">Set by <code>${variable}</code>.</p>` : ''}
    </fieldset>`;
}

/** The rules that a preset sets; none for `custom`. */
export const rulesOf = (preset: AccessPreset | undefined): Partial<AccessRules> =>
  preset ? PRESETS[preset].rules : {};

/** Whether a preset differs from some rules. */
const differs = ({ rules }: Preset, others: Partial<AccessRules>): boolean =>
  Object.entries(rules).some(([rule, choice]) => (others[rule as keyof AccessRules] ?? choice) !== choice);

/** The presets that no setting contradicts, and the rules one by one, which are folded until *Custom* is chosen. */
function presets(page: AccessPage): Html {
  const offered = Object.entries(PRESETS).filter(([, preset]) => !differs(preset, page.given));
  const inForce = offered.find(([, preset]) => !differs(preset, page.rules))?.[0];
  const options = offered.map(
    ([id, { name, sentence }]) =>
      html`<label class="choice option"><input type="radio" name="preset" value="${id}"${id === inForce ? html` checked` : ''}>
      <span><strong>${name}</strong>${id === inForce ? html` <span class="badge good">in force</span>` : ''}<br>${sentence}</span></label>`,
  );
  return html`<fieldset>
      <legend>Who may use this store?</legend>
      ${options}
    </fieldset>
    <div class="custom-rules">
      ${question('signUp', page)}
      ${question('publishers', page)}
      ${question('read', page)}
    </div>`;
}

/** The page on which an administrator chooses who may sign up, publish and read, and how users with a role sign in. */
export const accessPage = (page: AccessPage): Page =>
  formPage(
    'Access',
    html`${page.steps === null ? '' : html`<p class="hint">${`Step ${page.steps} of ${page.steps}: who may use the store`}</p>`}
    <form method="post" action="/setup/access">
      <h1>Access</h1>
      ${csrfField(page.csrf)}
      ${presets(page)}
      ${question('roles', page)}
      <p class="hint">You can change this later, at <code>/setup/access</code>.</p>
      <button class="main">Save</button>
    </form>`,
  );
