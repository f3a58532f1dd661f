import { Button, ButtonLink, Dialog, DialogButtons, Facts, Icon, MenuButton, TextArea } from '@svc/ui';
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useId, useState } from 'react';
import { Card } from './parts.tsx';

/** A change by an administrator, as a menu, a row of a detail page and a dialog show it. */
export type Act<Answer = unknown> = {
  /** In the menu. */
  label: string;
  /** The question of the dialog, and the button that answers it. */
  title: string;
  yes: string;
  /** `main` for a change that takes nothing away. */
  tone?: 'main' | 'bad';
  /** What it does. */
  effect: string;
  /** What happens to installed copies; left out where none are concerned. */
  copies?: string;
  /** Who is notified, and how. */
  notice: string;
  fields?: ReactNode;
  /** Label of the reason, which is required; left out where the store takes none. */
  reason?: string;
  send(data: FormData): Promise<Answer>;
  /** What the dialog shows once it is done, such as a link to copy; without it the dialog closes. */
  shows?(answer: Answer): ReactNode;
};

/** Asks before an act, with its effects and its fields. An error stays in the dialog. */
function ActDialog({ act, leave }: { act: Act; leave(): void }) {
  const form = useId();
  const { shows } = act;
  const { mutate, isPending, error, data } = useMutation({
    mutationFn: act.send,
    onSuccess: () => shows || leave(),
  });
  const isDone = shows !== undefined && data !== undefined;
  return (
    <Dialog
      title={act.title}
      leave={leave}
      error={error}
      focusField
      buttons={
        isDone ? (
          <Button label="Close" onClick={leave} />
        ) : (
          <DialogButtons
            yes={act.yes}
            tone={act.tone ?? 'bad'}
            why={isPending ? '' : null}
            act={() => (document.getElementById(form) as HTMLFormElement | null)?.requestSubmit()}
            leave={leave}
          />
        )
      }
    >
      {isDone ? (
        shows(data)
      ) : (
        <>
          <Facts
            facts={[
              ['Effect', act.effect],
              ['Installed copies', act.copies],
              ['Who is notified', act.notice],
            ]}
          />
          <form
            id={form}
            className="fields"
            onSubmit={(event) => {
              event.preventDefault();
              mutate(new FormData(event.currentTarget));
            }}
          >
            {act.fields}
            {act.reason === undefined ? null : (
              <TextArea label={act.reason} name="reason" rows={3} required maxLength={2_000} />
            )}
          </form>
        </>
      )}
    </Dialog>
  );
}

/** A page where more is done to the subject of a row than in a dialog. */
type Elsewhere = readonly [label: string, path: string];

/** The menu at the end of a row. Each act asks in a dialog. */
export function RowMenu({
  name,
  acts,
  links = [],
}: {
  name: string;
  acts: readonly Act[];
  links?: readonly Elsewhere[];
}) {
  const [asked, ask] = useState<Act | null>(null);
  return (
    <>
      <MenuButton name={`Actions on ${name}`} label={<Icon name="ellipsis" />} className="end">
        {(close) => (
          <>
            {acts.map((act) => (
              <Button
                key={act.label}
                label={act.label}
                className={act.tone === 'main' ? '' : 'bad'}
                onClick={() => {
                  close();
                  ask(act);
                }}
              />
            ))}
            {links.map(([label, path]) => (
              <a key={path} href={path} className="bad">
                {label}
              </a>
            ))}
          </>
        )}
      </MenuButton>
      {asked === null ? null : <ActDialog act={asked} leave={() => ask(null)} />}
    </>
  );
}

/** A button that asks for an act in its dialog. */
export function ActButton({ act }: { act: Act }) {
  const [isAsked, ask] = useState(false);
  return (
    <>
      <Button label={act.label} className={act.tone === 'main' ? '' : 'bad'} onClick={() => ask(true)} />
      {isAsked ? <ActDialog act={act} leave={() => ask(false)} /> : null}
    </>
  );
}

/** The acts of a detail page, each with its effect beside its button. */
export function ActList({
  title = 'Actions',
  acts,
  links = [],
}: {
  title?: string;
  acts: readonly Act[];
  links?: readonly Elsewhere[];
}) {
  return (
    <Card title={title}>
      <ul className="rows">
        {acts.map((act) => (
          <li key={act.label}>
            <div>{act.effect}</div>
            <ActButton act={act} />
          </li>
        ))}
        {links.map(([label, path]) => (
          <li key={path}>
            <div>
              Yank every version, suspend, revoke tokens and sign members out, in one act with a preview.
            </div>
            <ButtonLink label={label} className="bad" href={path} />
          </li>
        ))}
      </ul>
    </Card>
  );
}
