import type { Policy, PolicyRule } from '@svc/contracts';
import { apiRequest } from '@svc/contracts/client';
import { Button, Dialog, DialogButtons, Done, Field, Loaded, moment, Rows, TextArea, textOf } from '@svc/ui';
import { useId, useState } from 'react';
import { Card, ChangeForm } from '../account/parts.tsx';
import { useLeaveGuard, useRead } from '../account/use-store.ts';
import { hasExtension } from '../extensions/has.ts';

/** A rule with the key of its row: a new one has no id before its dialog closes. */
type Row = { key: number; rule: PolicyRule; isNew: boolean };

const NEW_RULE: PolicyRule = { id: '', title: '', text: '' };

/** Edits a rule. What decisions cite is its id, which never changes. */
function RuleDialog({
  rule,
  isNew,
  taken,
  keep,
  leave,
}: {
  rule: PolicyRule;
  isNew: boolean;
  /** Ids of the other rules. */
  taken: readonly string[];
  keep(rule: PolicyRule): void;
  leave(): void;
}) {
  const form = useId();
  const [error, setError] = useState<Error | null>(null);
  const submit = (data: FormData) => {
    const id = isNew ? textOf(data, 'id') : rule.id;
    if (taken.includes(id)) setError(new Error(`Another rule has the id ${id}.`));
    else keep({ id, title: textOf(data, 'title'), text: textOf(data, 'text') });
  };
  return (
    <Dialog
      title={isNew ? 'Add a rule' : `Edit “${rule.title}”`}
      leave={leave}
      error={error}
      focusField
      buttons={
        <DialogButtons
          yes={isNew ? 'Add' : 'Keep'}
          why={null}
          act={() => (document.getElementById(form) as HTMLFormElement | null)?.requestSubmit()}
          leave={leave}
        />
      }
    >
      <form
        id={form}
        className="fields"
        onSubmit={(event) => {
          event.preventDefault();
          submit(new FormData(event.currentTarget));
        }}
      >
        <Field label="Title" name="title" defaultValue={rule.title} required maxLength={80} />
        <TextArea label="Rule" name="text" defaultValue={rule.text} required maxLength={2_000} rows={5} />
        {isNew ? (
          <Field
            label="Id"
            hint="Decisions cite it, and it never changes: lower-case words with hyphens."
            name="id"
            required
            maxLength={40}
            pattern="[a-z0-9]+(-[a-z0-9]+)*"
            autoCapitalize="none"
            spellCheck={false}
          />
        ) : null}
      </form>
    </Dialog>
  );
}

/** A rule as users read it. The last one, for what no other is about, stays. */
function Rule({ row: { rule, isNew }, edit, remove }: { row: Row; edit(): void; remove(): void }) {
  const { id, title, text } = rule;
  return (
    <li>
      <div>
        <strong>{title}</strong> <code className="soft">{id}</code>
        <p>{text}</p>
      </div>
      <span className="buttons">
        <Button label="Edit" aria-label={`Edit ${title}`} onClick={edit} />
        {!isNew && id === 'other' ? null : (
          <Button label="Remove" aria-label={`Remove ${title}`} className="quiet" onClick={remove} />
        )}
      </span>
    </li>
  );
}

type ChangeRows = (from: (rows: readonly Row[]) => readonly Row[]) => void;

function Rules({ rows, change }: { rows: readonly Row[]; change: ChangeRows }) {
  const [edited, edit] = useState<Row | null>(null);
  const keep = (rule: PolicyRule) => {
    if (edited)
      change((now) => {
        const isKnown = now.some(({ key }) => key === edited.key);
        if (!isKnown) return [...now, { ...edited, rule }];
        return now.map((row) => (row.key === edited.key ? { ...row, rule } : row));
      });
    edit(null);
  };
  return (
    <>
      <Rows of={rows}>
        {(row) => (
          <Rule
            key={row.key}
            row={row}
            edit={() => edit(row)}
            remove={() => change((now) => now.filter(({ key }) => key !== row.key))}
          />
        )}
      </Rows>
      <Button
        label="Add a rule"
        onClick={() =>
          edit({ key: Math.max(-1, ...rows.map(({ key }) => key)) + 1, rule: NEW_RULE, isNew: true })
        }
      />
      {edited === null ? null : (
        <RuleDialog
          rule={edited.rule}
          isNew={edited.isNew}
          taken={rows.filter(({ key }) => key !== edited.key).map(({ rule }) => rule.id)}
          keep={keep}
          leave={() => edit(null)}
        />
      )}
    </>
  );
}

/** Paragraphs of the policy, as its page shows them. */
const Paragraphs = ({ text }: { text: string }) =>
  text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line, n) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: lines have no other name
      <p key={n}>{line}</p>
    ));

/** The next version as users will read it, while it is written. */
const Preview = ({
  version,
  intro,
  rules,
}: {
  version: number;
  intro: string;
  rules: readonly PolicyRule[];
}) => (
  <Card title="Preview">
    <div className="policy-preview">
      <h3>Policy</h3>
      <p className="soft">{`Version ${version}`}</p>
      <Paragraphs text={intro} />
      {rules.map(({ id, title, text }) => (
        <section key={id}>
          <h4>{title}</h4>
          <Paragraphs text={text} />
        </section>
      ))}
    </div>
  </Card>
);

function PolicyForm({ policy, done }: { policy: Policy; done(): void }) {
  const [isChanged, setChanged] = useState(false);
  const [intro, setIntro] = useState(policy.intro);
  useLeaveGuard(isChanged);
  const [rows, setRows] = useState<readonly Row[]>(() =>
    policy.rules.map((rule, key) => ({ key, rule, isNew: false })),
  );
  const request = (data: FormData) => {
    const note = textOf(data, 'note');
    const rules = rows.map(({ rule }) => rule);
    return apiRequest('PUT /api/admin/policy', {
      json: { from: policy.version, intro: intro.trim(), rules, note },
    });
  };
  return (
    <>
      <Card title={`Rules of version ${policy.version}`}>
        <Rules
          rows={rows}
          change={(next) => {
            setChanged(true);
            setRows(next);
          }}
        />
      </Card>
      <Card title="Publish a new version">
        <ChangeForm
          action="Publish new version"
          request={request}
          change={() => setChanged(true)}
          done={done}
        >
          <TextArea
            label="Introduction"
            name="intro"
            value={intro}
            onChange={({ target }: { target: HTMLTextAreaElement }) => setIntro(target.value)}
            required
            maxLength={2_000}
            rows={4}
          />
          <TextArea label="What changes, for publishers" name="note" required maxLength={2_000} rows={2} />
        </ChangeForm>
      </Card>
      <Preview
        version={policy.version + (isChanged ? 1 : 0)}
        intro={intro}
        rules={rows.map(({ rule }) => rule)}
      />
    </>
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
            <PolicyForm
              key={policy.version}
              policy={policy}
              done={() => setStatus('The new version is published.')}
            />
            <Done>{status}</Done>
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
