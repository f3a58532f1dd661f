import { visible } from '@svc/text';
import {
  Button,
  Check,
  ConfirmButton,
  Copyable,
  count,
  Dialog,
  DialogButtons,
  ErrorMessage,
  Field,
  Loaded,
  Rows,
  Select,
  TextArea,
} from '@svc/ui';
import { useState } from 'react';
import type { BundleView } from '../../../src/wire/calls.ts';
import { Section } from '../parts/parts.tsx';
import { useApps, useProject } from '../shell/use-project.ts';
import { useDesktopMutation, useDesktopQuery } from '../wire/use-desktop.ts';

type Bundled = BundleView['apps'][number];
type Words = Bundled['tools'][number];
type Named = { id: string; name: string };

const NO_WORDS = { name: null, title: null, description: null };

const PARTS = [
  ['none', 'Not in it'],
  ['whole', 'All of it'],
  ['tools', 'Some of its tools'],
] as const;

const orNull = (text: string): string | null => (text.trim() === '' ? null : text.trim());

/** What agents read of a tool in the bundle. */
function OwnWords({
  tool,
  words,
  change,
}: {
  tool: Named;
  words: Words;
  change(part: Partial<Words>): void;
}) {
  const fields = [words.name, words.title, words.description];
  const own = fields.filter((field) => field !== null).length;
  return (
    <details>
      <summary>
        {own === 0 ? `Rename ${visible(tool.name)}` : `${visible(tool.name)}: ${count(own, 'own text')}`}
      </summary>
      <Field
        label="Name for agents"
        hint="Letters, digits, “-” and “_”. Empty: as its app names it."
        value={words.name ?? ''}
        maxLength={64}
        spellCheck={false}
        onChange={({ target }) => change({ name: orNull(target.value) })}
      />
      <Field
        label="Title"
        defaultValue={words.title ?? ''}
        maxLength={100}
        onChange={({ target }) => change({ title: orNull(target.value) })}
      />
      <TextArea
        label="Description"
        rows={3}
        defaultValue={words.description ?? ''}
        maxLength={4_096}
        onChange={({ target }) => change({ description: orNull(target.value) })}
      />
    </details>
  );
}

/** One app: whether it is in the bundle, with which tools, and what agents read of them. */
function AppRow({
  app,
  tools,
  bundled,
  change,
}: {
  app: Named;
  tools: readonly Named[];
  bundled: Bundled | undefined;
  /** Gets the latest parts of the app, and returns the next ones; null for none. */
  change(next: (now: Bundled) => Bundled | null): void;
}) {
  const part = bundled ? (bundled.whole ? 'whole' : 'tools') : 'none';
  const wordsOf = (id: string) => bundled?.tools.find(({ tool }) => tool === id);
  const setTool = (id: string, next: (words: Words) => Words | null) =>
    change((now) => {
      const words = now.tools.find(({ tool }) => tool === id) ?? { tool: id, ...NO_WORDS };
      return { ...now, tools: [...now.tools.filter(({ tool }) => tool !== id), next(words) ?? []].flat() };
    });
  const rename = (id: string, part: Partial<Words>) =>
    setTool(id, (words) => {
      const next = { ...words, ...part };
      const isOwn = next.name !== null || next.title !== null || next.description !== null;
      return isOwn || !bundled?.whole ? next : null;
    });
  return (
    <div>
      <Select
        label={visible(app.name)}
        value={part}
        of={PARTS}
        choose={(chosen) =>
          change((now) => (chosen === 'none' ? null : { ...now, whole: chosen === 'whole' }))
        }
      />
      {part === 'none'
        ? null
        : tools.map((tool) => (
            <div key={tool.id}>
              {part === 'tools' ? (
                <Check
                  label={visible(tool.name)}
                  checked={wordsOf(tool.id) !== undefined}
                  choose={(isOn) => setTool(tool.id, (words) => (isOn ? words : null))}
                />
              ) : null}
              {part === 'whole' || wordsOf(tool.id) ? (
                <OwnWords
                  tool={tool}
                  words={wordsOf(tool.id) ?? { tool: tool.id, ...NO_WORDS }}
                  change={(words) => rename(tool.id, words)}
                />
              ) : null}
            </div>
          ))}
    </div>
  );
}

function Edit({ bundle, close }: { bundle: BundleView | null; close(): void }) {
  const [name, setName] = useState(bundle?.name ?? '');
  const [chosen, setChosen] = useState<readonly Bundled[]>(bundle?.apps ?? []);
  const names = useDesktopQuery('tools.names', { project: useProject().id });
  const apps = useApps() ?? [];
  const save = useDesktopMutation('agents.saveBundle');
  const put = (appId: string, next: (now: Bundled) => Bundled | null) =>
    setChosen((all) => {
      const now = all.find((one) => one.appId === appId) ?? { appId, whole: true, tools: [] };
      return [...all.filter((one) => one.appId !== appId), next(now) ?? []].flat();
    });
  const nameOf = (appId: string) =>
    apps.find((app) => app.appId === appId)?.manifest.name ?? `${appId} (not usable here)`;
  const submit = () =>
    save.mutate({ bundle: { name, apps: [...chosen] }, earlier: bundle?.name ?? '' }, { onSuccess: close });
  const missing = name === '' ? 'Give it a name.' : chosen.length === 0 ? 'Choose an app.' : null;
  return (
    <Dialog
      title={bundle ? `Change ${bundle.name}` : 'New bundle'}
      leave={close}
      focusField
      error={save.error}
      buttons={<DialogButtons yes="Save" why={save.isPending ? '' : missing} act={submit} leave={close} />}
    >
      <div className="fields">
        <Field
          label="Name"
          hint="Lowercase letters, digits and “-”. It is part of the address."
          value={name}
          maxLength={40}
          spellCheck={false}
          onChange={({ target }) => setName(target.value)}
        />
        <Loaded query={names}>
          {({ apps: usable }) => {
            const gone = chosen.filter(({ appId }) => usable.every((app) => app.appId !== appId));
            return [...usable, ...gone.map(({ appId }) => ({ appId, tools: [] }))].map(({ appId, tools }) => (
              <AppRow
                key={appId}
                app={{ id: appId, name: nameOf(appId) }}
                tools={tools}
                bundled={chosen.find((one) => one.appId === appId)}
                change={(next) => put(appId, next)}
              />
            ));
          }}
        </Loaded>
      </div>
    </Dialog>
  );
}

function Bundle({ bundle, address, edit }: { bundle: BundleView; address: string; edit(): void }) {
  const remove = useDesktopMutation('agents.removeBundle');
  const { name, apps } = bundle;
  return (
    <li>
      <div>
        <strong>{name}</strong> <span className="soft">{count(apps.length, 'app')}</span>
        <Copyable name={`the command for ${name}`} text={`svc connect AGENT --bundle ${name}`} />
        <p className="soft">
          Gateway URL <code>{`${address}?bundle=${name}`}</code>
        </p>
        <ErrorMessage error={remove.error} />
      </div>
      <Button label="Change" aria-label={`Change ${name}`} onClick={edit} />
      <ConfirmButton
        label={`Remove ${name}`}
        sure="Remove this bundle? Agents that use it then have no tools."
        act={() => remove.mutate({ name })}
      />
    </li>
  );
}

/** Apps and tools that agents get together, under names and words of the user. @param address of the gateway */
export function Bundles({ address }: { address: string }) {
  const bundles = useDesktopQuery('agents.bundles', {});
  const [edited, setEdited] = useState<BundleView | 'new' | null>(null);
  return (
    <Section title="Bundles">
      <p className="soft">
        A bundle offers an agent some apps and tools alone, under names and descriptions of yours. It has an
        address of its own.
      </p>
      <Loaded query={bundles}>
        {({ bundles: all }) => (
          <Rows of={all} none="No bundles yet.">
            {(one) => <Bundle key={one.name} bundle={one} address={address} edit={() => setEdited(one)} />}
          </Rows>
        )}
      </Loaded>
      <Button label="New bundle" onClick={() => setEdited('new')} />
      {edited ? <Edit bundle={edited === 'new' ? null : edited} close={() => setEdited(null)} /> : null}
    </Section>
  );
}
