import type { ManagedKey, ManagedSettings } from '@svc/contracts';
import { MANAGED_WORDS } from '@svc/contracts/vocabulary';
import { Field, Select, TextArea, textOf } from '@svc/ui';
import { Fragment, type ReactNode, useState } from 'react';

type Props<Value> = { name: ManagedKey; value: Value | undefined; title: string };

/** How one setting is edited: its fields, and the value that they have; undefined leaves the choice to the user. */
type Editor<Value> = {
  fields(props: Props<Value>): ReactNode;
  read(data: FormData, name: ManagedKey): Value | undefined;
};

const linesOf = (data: FormData, name: string): string[] =>
  textOf(data, name)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

const Lines = ({ name, value, title, hint }: Props<readonly string[]> & { hint: string }) => (
  <TextArea
    label={title}
    hint={hint}
    name={name}
    defaultValue={value?.join('\n')}
    rows={2}
    spellCheck={false}
    autoCapitalize="none"
  />
);

/** A list in which nothing means nothing. */
const list = (hint: string): Editor<string[]> => ({
  fields: (props) => <Lines {...props} hint={`${hint} One a line.`} />,
  read: (data, name) => {
    const lines = linesOf(data, name);
    return lines.length > 0 ? lines : undefined;
  },
});

const ONLY = 'only';

/** The choices beside a list of all that is allowed. */
const ALL_OR_LISTED: readonly [string, string] = ['All are allowed', 'Only those of a list'];

/** Whether all is allowed, or only what a list has. */
function Only({
  name,
  value,
  title,
  hint,
  words,
}: Props<readonly string[]> & { hint: string; words: typeof ALL_OR_LISTED }) {
  const [isOnly, setOnly] = useState(value !== undefined);
  return (
    <>
      <Select
        label={title}
        name={`${name} ${ONLY}`}
        of={[
          ['', words[0]],
          [ONLY, words[1]],
        ]}
        defaultValue={isOnly ? ONLY : ''}
        choose={(chosen) => setOnly(chosen === ONLY)}
      />
      {isOnly ? <Lines name={name} value={value} title={`${title}: the list`} hint={hint} /> : null}
    </>
  );
}

/** A list of all that is allowed: an empty one allows nothing, so that whether there is one is chosen by itself. */
const only = (hint: string, words = ALL_OR_LISTED): Editor<string[]> => ({
  fields: (props) => <Only {...props} words={words} hint={`${hint} One a line; an empty list means none.`} />,
  read: (data, name) => (textOf(data, `${name} ${ONLY}`) === ONLY ? linesOf(data, name) : undefined),
});

const choice = (yes: string, no: string): Editor<boolean> => ({
  fields: ({ name, value, title }) => (
    <Select
      label={title}
      name={name}
      of={[
        ['', 'The user chooses'],
        ['true', yes],
        ['false', no],
      ]}
      defaultValue={value === undefined ? '' : String(value)}
    />
  ),
  read: (data, name) => ({ true: true, false: false })[textOf(data, name)],
});

const APPS = 'Ids of apps, such as com.example.notes';

/** Every setting of a company, in the order of the page. One without a row does not compile. */
const EDITORS: { [Key in ManagedKey]-?: Editor<NonNullable<ManagedSettings[Key]>> } = {
  requiredApps: list(`${APPS}.`),
  allowedApps: only(`${APPS}, or com.example.* for all below.`),
  refusedApps: list(`${APPS}, or com.example.* for all below.`),
  minimumVersions: {
    fields: ({ name, value, title }) => (
      <Lines
        name={name}
        value={value && Object.entries(value).map(([id, version]) => `${id} ${version}`)}
        title={title}
        hint="An app and its oldest version that works, such as com.example.notes 1.4.2. One a line."
      />
    ),
    read(data, name) {
      const pairs = linesOf(data, name).map((line) => {
        const [id = '', version = ''] = line.split(/\s+/);
        return [id, version] as const;
      });
      return pairs.length > 0 ? Object.fromEntries(pairs) : undefined;
    },
  },
  mirrors: only('Addresses of copies of this store, such as https://mirror.example.com.', [
    'The user chooses',
    'Those of a list',
  ]),
  requiredConnectors: list('Addresses of MCP servers, such as https://mcp.example.com/mcp.'),
  allowedConnectors: only('Hosts, such as mcp.example.com, or *.example.com for all below.'),
  refusedConnectors: list('Hosts, such as mcp.example.com, or *.example.com for all below.'),
  localConnectors: choice('Allowed', 'Not allowed'),
  refusedPermissions: list('Grants, such as project:write.'),
  allowedProviders: only('Hosts, such as api.example.com; localhost for models on the computer.'),
  allowedModels: only('Ids of models, or gpt-5* for all that begin so.'),
  allowedAgents: only('Names of agents, such as claude-code.'),
  exportChats: choice('Allowed', 'Not allowed'),
  developerMode: choice('Allowed', 'Not allowed'),
  installUpdates: choice('Installed by themselves', 'Installed by a button only'),
  updateHours: {
    fields: ({ name, value, title }) => (
      <>
        <Field
          label={`${title}: from`}
          hint="In the time of the computer. Both or none."
          name={`${name} from`}
          type="time"
          defaultValue={value?.from}
        />
        <Field label={`${title}: to`} name={`${name} to`} type="time" defaultValue={value?.to} />
      </>
    ),
    read(data, name) {
      const [from, to] = [textOf(data, `${name} from`), textOf(data, `${name} to`)];
      return from === '' && to === '' ? undefined : { from, to };
    },
  },
  memberHours: {
    fields: ({ name, value, title }) => (
      <Field
        label={title}
        hint="Then the apps of this store stop until the next contact. Only in a store that members alone may read."
        name={name}
        type="number"
        min={1}
        max={720}
        defaultValue={value}
      />
    ),
    read: (data, name) => (textOf(data, name) === '' ? undefined : Number(textOf(data, name))),
  },
};

const KEYS = Object.keys(EDITORS) as ManagedKey[];

/** What a page needs of a setting, whatever its type. */
type AnyEditor = Editor<unknown>;

/** The sections of the page; a setting that none names is in the last one. */
const SECTIONS: readonly (readonly [title: string, keys: readonly ManagedKey[]])[] = [
  ['Apps', ['requiredApps', 'allowedApps', 'refusedApps', 'minimumVersions', 'refusedPermissions']],
  ['Updates', ['installUpdates', 'updateHours']],
  ['Connectors', ['requiredConnectors', 'allowedConnectors', 'refusedConnectors', 'localConnectors']],
  ['Models and agents', ['allowedProviders', 'allowedModels', 'allowedAgents']],
];
const OTHERS = KEYS.filter((name) => !SECTIONS.some(([, keys]) => keys.includes(name)));

/** The fields of all settings. */
export const SettingFields = ({ settings }: { settings: ManagedSettings }) =>
  [...SECTIONS, ['Users and their data', OTHERS] as const].map(([section, keys]) => (
    <fieldset key={section}>
      <legend>{section}</legend>
      {keys.map((name) => (
        <Fragment key={name}>
          {(EDITORS[name] as AnyEditor).fields({
            name,
            value: settings[name],
            title: MANAGED_WORDS[name].title,
          })}
        </Fragment>
      ))}
    </fieldset>
  ));

/** The settings that the fields of a form have. */
export const settingsIn = (data: FormData): ManagedSettings =>
  Object.fromEntries(
    KEYS.flatMap((name) => {
      const value = (EDITORS[name] as AnyEditor).read(data, name);
      return value === undefined ? [] : [[name, value]];
    }),
  );

/** What users will read of a setting; null where it leaves the choice to them. */
export function textOfSetting(settings: ManagedSettings, name: ManagedKey): string | null {
  const value = settings[name];
  return value === undefined ? null : (MANAGED_WORDS[name].text as (value: unknown) => string)(value);
}

/** The settings in which two sets differ. */
export const changedKeys = (before: ManagedSettings, after: ManagedSettings): ManagedKey[] =>
  KEYS.filter((name) => textOfSetting(before, name) !== textOfSetting(after, name));
