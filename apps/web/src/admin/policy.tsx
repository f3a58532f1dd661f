import type { Policy, PolicyRule } from '@svc/contracts';
import { apiRequest } from '@svc/contracts/client';
import { Loaded, moment } from '@svc/ui';
import { useState } from 'react';
import { Card, ChangeForm, textOf } from '../account/parts.tsx';
import { useRead } from '../account/use-store.ts';

function RuleFields({ rule, isFixed, remove }: { rule: PolicyRule; isFixed: boolean; remove(): void }) {
  return (
    <fieldset>
      <legend>{rule.title === '' ? 'New rule' : rule.title}</legend>
      <label>
        Id
        <input
          name="id"
          defaultValue={rule.id}
          readOnly={isFixed}
          required
          maxLength={40}
          pattern="[a-z0-9]+(-[a-z0-9]+)*"
        />
      </label>
      <label>
        Title
        <input name="title" defaultValue={rule.title} required maxLength={80} />
      </label>
      <label>
        Rule
        <textarea name="text" defaultValue={rule.text} required maxLength={2_000} rows={3} />
      </label>
      {isFixed ? null : (
        <button type="button" className="quiet" onClick={remove}>
          Remove rule
        </button>
      )}
    </fieldset>
  );
}

/** A rule with the key of its fields: its id may change while it is edited. */
type Row = { key: number; rule: PolicyRule; isNew: boolean };

function PolicyForm({ policy }: { policy: Policy }) {
  const [rows, setRows] = useState<readonly Row[]>(() =>
    policy.rules.map((rule, key) => ({ key, rule, isNew: false })),
  );
  const request = (data: FormData) => {
    const all = (name: string) => data.getAll(name).map((value) => String(value).trim());
    const [ids, titles, texts] = [all('id'), all('title'), all('text')];
    const rules = ids.map((id, index) => ({ id, title: titles[index] ?? '', text: texts[index] ?? '' }));
    const [intro, note] = [textOf(data, 'intro'), textOf(data, 'note')];
    return apiRequest('PUT /api/admin/policy', { json: { from: policy.version, intro, rules, note } });
  };
  const add = () =>
    setRows((now) => {
      const key = Math.max(...now.map((row) => row.key)) + 1;
      return [...now, { key, rule: { id: '', title: '', text: '' }, isNew: true }];
    });
  return (
    <ChangeForm action="Publish new version" request={request}>
      <label>
        Introduction
        <textarea name="intro" defaultValue={policy.intro} required maxLength={2_000} rows={4} />
      </label>
      {rows.map(({ key, rule, isNew }) => (
        <RuleFields
          key={key}
          rule={rule}
          isFixed={!isNew && rule.id === 'other'}
          remove={() => setRows(rows.filter((row) => row.key !== key))}
        />
      ))}
      <button type="button" onClick={add}>
        Add rule
      </button>
      <label>
        What changes, for publishers
        <textarea name="note" required maxLength={2_000} rows={2} />
      </label>
    </ChangeForm>
  );
}

/** Edits the policy, whose rules decisions cite. Each change is a new version. */
export function PolicyView() {
  const query = useRead(apiRequest('GET /api/policy'));
  return (
    <>
      <h1>Policy</h1>
      <p className="soft">
        Every decision against an app or a publisher cites a rule. A change is a new version: earlier
        decisions keep citing theirs. <a href="/policy">The page that users see</a>,{' '}
        <a href="/transparency">transparency report</a>
      </p>
      <Loaded query={query}>
        {(policy) => (
          <>
            <Card title={`Version ${policy.version}`}>
              <PolicyForm key={policy.version} policy={policy} />
            </Card>
            <Card title="History">
              <ul className="rows">
                {policy.versions.map(({ version, note, at }) => (
                  <li key={version}>
                    <div>
                      <a href={`/policy?version=${version}`}>{`Version ${version}`}</a>{' '}
                      <span className="soft">{at === null ? '' : moment(at)}</span>
                      <p>{note}</p>
                    </div>
                  </li>
                ))}
              </ul>
            </Card>
          </>
        )}
      </Loaded>
    </>
  );
}
