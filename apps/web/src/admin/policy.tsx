import type { Policy, PolicyRule } from '@svc/contracts';
import { apiRequest } from '@svc/contracts/client';
import { Button, Done, Field, Loaded, moment, Rows, TextArea, textOf } from '@svc/ui';
import { useState } from 'react';
import { Card, ChangeForm } from '../account/parts.tsx';
import { useLeaveGuard, useRead } from '../account/use-store.ts';
import { hasExtension } from '../extensions/has.ts';

function RuleFields({ rule, isFixed, remove }: { rule: PolicyRule; isFixed: boolean; remove(): void }) {
  return (
    <fieldset>
      <legend>{rule.title === '' ? 'New rule' : rule.title}</legend>
      <Field
        label="Id"
        name="id"
        defaultValue={rule.id}
        readOnly={isFixed}
        required
        maxLength={40}
        pattern="[a-z0-9]+(-[a-z0-9]+)*"
      />
      <Field label="Title" name="title" defaultValue={rule.title} required maxLength={80} />
      <TextArea label="Rule" name="text" defaultValue={rule.text} required maxLength={2_000} rows={3} />
      {isFixed ? null : <Button label="Remove rule" className="quiet" onClick={remove} />}
    </fieldset>
  );
}

/** A rule with the key of its fields: its id may change while it is edited. */
type Row = { key: number; rule: PolicyRule; isNew: boolean };

function PolicyForm({ policy, done }: { policy: Policy; done(): void }) {
  const [isChanged, setChanged] = useState(false);
  useLeaveGuard(isChanged);
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
    <ChangeForm action="Publish new version" request={request} change={() => setChanged(true)} done={done}>
      <TextArea
        label="Introduction"
        name="intro"
        defaultValue={policy.intro}
        required
        maxLength={2_000}
        rows={4}
      />
      {rows.map(({ key, rule, isNew }) => (
        <RuleFields
          key={key}
          rule={rule}
          isFixed={!isNew && rule.id === 'other'}
          remove={() => {
            setChanged(true);
            setRows(rows.filter((row) => row.key !== key));
          }}
        />
      ))}
      <Button label="Add rule" onClick={add} />
      <TextArea label="What changes, for publishers" name="note" required maxLength={2_000} rows={2} />
    </ChangeForm>
  );
}

/** Edits the policy, whose rules decisions cite. Each change is a new version. */
export function PolicyView() {
  const query = useRead(apiRequest('GET /api/policy'));
  const [status, setStatus] = useState('');
  return (
    <>
      <h1>Policy</h1>
      <p className="soft">
        Every decision against an app or a publisher cites a rule. A change is a new version: earlier
        decisions keep citing theirs. <a href="/policy">The page that users see</a>
        {hasExtension('transparency') ? (
          <>
            , <a href="/transparency">transparency report</a>
          </>
        ) : null}
      </p>
      <Loaded query={query}>
        {(policy) => (
          <>
            <Card title={`Version ${policy.version}`}>
              <PolicyForm
                key={policy.version}
                policy={policy}
                done={() => setStatus('The new version is published.')}
              />
              <Done>{status}</Done>
            </Card>
            <Card title="History">
              <Rows of={policy.versions}>
                {({ version, note, at }) => (
                  <li key={version}>
                    <div>
                      <a href={`/policy?version=${version}`}>{`Version ${version}`}</a>{' '}
                      <span className="soft">{at === null ? '' : moment(at)}</span>
                      <p>{note}</p>
                    </div>
                  </li>
                )}
              </Rows>
            </Card>
          </>
        )}
      </Loaded>
    </>
  );
}
