import type { UpstreamChoices } from '@svc/contracts';
import { STORE_GRANTS } from '@svc/contracts/vocabulary';
import { GRANT_WORDS } from '@svc/permissions';
import { Check, Field, Select, textOf } from '@svc/ui';
import { useState } from 'react';

type Which = UpstreamChoices['which'];
type How = UpstreamChoices['how'];

export const WHICH: Readonly<Record<Which, string>> = {
  chosen: 'Only apps that you name',
  categories: 'The apps of some categories',
  verified: 'The apps of publishers that it verified',
  all: 'All its apps',
};

export const HOW: Readonly<Record<How, string>> = {
  review: 'Each version waits for a moderator',
  permissions: 'A version that asks for more permissions waits',
  all: 'A version that a check flags waits',
};

const entriesOf = <Key extends string>(words: Readonly<Record<Key, string>>) =>
  Object.entries(words) as [Key, string][];

const listOf = (data: FormData, name: string): string[] =>
  textOf(data, name)
    .split(/[\s,]+/)
    .filter((word) => word !== '');

/** The choices that a form with `ChoiceFields` has. The store says which of them it does not know. */
export const choicesIn = (data: FormData): UpstreamChoices => ({
  which: textOf(data, 'which') as Which,
  how: textOf(data, 'how') as How,
  apps: listOf(data, 'apps'),
  categories: listOf(data, 'categories') as UpstreamChoices['categories'],
  grants: data.getAll('grant').map(String) as UpstreamChoices['grants'],
});

/** Which apps of an upstream are carried, and which versions a moderator sees first. */
export function ChoiceFields({ now }: { now?: UpstreamChoices }) {
  const [which, setWhich] = useState<Which>(now?.which ?? 'chosen');
  const [how, setHow] = useState<How>(now?.how ?? 'review');
  return (
    <>
      <Select label="Which apps" name="which" of={entriesOf(WHICH)} value={which} choose={setWhich} />
      <Field
        label="Apps in any case"
        hint="Their ids, with spaces between"
        name="apps"
        defaultValue={now?.apps.join(' ')}
        spellCheck={false}
      />
      {which === 'categories' ? (
        <Field
          label="Categories"
          hint="As in the manifest, with spaces between"
          name="categories"
          required
          defaultValue={now?.categories.join(' ')}
          spellCheck={false}
        />
      ) : null}
      <Select label="Review here" name="how" of={entriesOf(HOW)} value={how} choose={setHow} />
      {how === 'permissions' ? (
        <fieldset>
          <legend>Permissions that need no review</legend>
          {STORE_GRANTS.map((grant) => (
            <Check
              key={grant}
              label={GRANT_WORDS[grant] ?? grant}
              name="grant"
              value={grant}
              defaultChecked={now?.grants.includes(grant) ?? false}
            />
          ))}
        </fieldset>
      ) : null}
    </>
  );
}
