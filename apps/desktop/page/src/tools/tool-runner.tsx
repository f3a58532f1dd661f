import { visible } from '@svc/text';
import { Button, Form, Loaded } from '@svc/ui';
import { useMemo, useState } from 'react';
import type { AppView, ToolView } from '../../../src/wire/views.ts';
import { AppIcon } from '../parts/icon.tsx';
import { Heading } from '../parts/parts.tsx';
import { WithCode } from '../parts/with-code.tsx';
import { hashOf } from '../routes.ts';
import { useProject } from '../shell/use-project.ts';
import { useDesktopQuery } from '../wire/use-desktop.ts';
import { ArgumentField } from './argument-field.tsx';
import { FileField } from './file-field.tsx';
import { RunResult } from './run-result.tsx';
import { type FieldTexts, fieldsOf, fill, WHOLE, wholeField } from './schema-form.ts';
import { SchemaNote, ToolsNotListed } from './tool-state.tsx';
import { useRun } from './use-run.ts';
import { useTools } from './use-tools.ts';

/** What was entered last for each tool, until the page is closed: arguments are written to no storage. */
const LAST = new Map<string, FieldTexts>();

/**
 * The form of a tool. Its fields may change when the server lists the schema; entered values stay.
 * @param key of the tool, under which what is entered is kept while the page is open
 */
function useToolForm(key: string, tool: ToolView) {
  const [entered, setEntered] = useState<FieldTexts>(() => LAST.get(key) ?? {});
  const isWhole = Object.hasOwn(entered, WHOLE);
  const fields = useMemo(
    () => (isWhole ? [wholeField()] : fieldsOf(tool.inputSchema)),
    [isWhole, tool.inputSchema],
  );
  const texts: FieldTexts = {
    ...Object.fromEntries(fields.map(({ name, initial }) => [name, initial])),
    ...entered,
  };
  const [faults, setFaults] = useState<Readonly<Record<string, string>>>({});
  const [files, setFiles] = useState<Readonly<Record<string, readonly File[]>>>({});
  return {
    fields,
    texts,
    faults,
    files,
    write(name: string, text: string) {
      LAST.set(key, { ...LAST.get(key), [name]: text });
      setEntered((before) => ({ ...before, [name]: text }));
    },
    choose: (name: string, chosen: readonly File[]) => setFiles((before) => ({ ...before, [name]: chosen })),
    /** @returns the arguments, or null if the form has errors */
    filled() {
      const result = fill(fields, texts);
      setFaults('faults' in result ? result.faults : {});
      return 'faults' in result ? null : result.arguments;
    },
  };
}

function ToolForm({ appId, tool, isPending }: { appId: string; tool: ToolView; isPending: boolean }) {
  const project = useProject();
  const form = useToolForm(`${appId} ${tool.id}`, tool);
  const { state, run, stop } = useRun();
  const isRunning = state.at === 'running';
  const start = () => {
    const filled = form.filled();
    if (!filled) return;
    const files = Object.fromEntries(Object.entries(form.files).filter(([, chosen]) => chosen.length > 0));
    void run({ appId, tool: tool.id, project: project.id, arguments: filled, files });
  };
  const hasNoFields = form.fields.length === 0 && Object.keys(tool.files).length === 0;
  return (
    <>
      <p>
        <WithCode text={tool.description} />
      </p>
      {tool.confirms ? <p className="soft">Asks for your approval before it runs.</p> : null}
      <SchemaNote appId={appId} tool={tool} isPending={isPending} />
      <div className="beside">
        <Form
          action={isRunning ? 'Running…' : 'Run'}
          busy={isRunning}
          submit={start}
          more={isRunning ? <Button label="Stop" onClick={stop} /> : null}
        >
          {hasNoFields ? <p className="soft">This tool takes no arguments.</p> : null}
          {form.fields.map((field) => (
            <ArgumentField
              key={field.name}
              field={field}
              text={form.texts[field.name] ?? ''}
              fault={form.faults[field.name]}
              write={(text) => form.write(field.name, text)}
            />
          ))}
          {Object.entries(tool.files).map(([name, rule]) => (
            <FileField
              key={name}
              name={name}
              rule={rule}
              files={form.files[name] ?? []}
              choose={(files) => form.choose(name, files)}
            />
          ))}
        </Form>
        <RunResult appId={appId} state={state} />
      </div>
    </>
  );
}

const canRun = ({ on, yanked }: AppView): boolean => on && !yanked;

/** The tools of an app as links, where the server was not asked yet as its manifest names them. */
function ToolLinks({ app, listed, words }: { app: AppView; listed: Listed; words: readonly string[] }) {
  const name = visible(app.manifest.name);
  const known = listed.find(({ appId }) => appId === app.appId)?.tools ?? [];
  const tools = (known.length > 0 ? known : (app.manifest.contributes.tools ?? [])).filter((tool) => {
    const text = `${name} ${tool.name} ${tool.id}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
  if (tools.length === 0) return null;
  return (
    <section aria-label={name} className="tool-group">
      <h2>
        <AppIcon appId={app.appId} version={app.version} name={app.manifest.name} />
        {name}
      </h2>
      <ul className="bare">
        {tools.map((tool) => (
          <li key={tool.id}>
            <a href={hashOf('tools', app.appId, tool.id)}>{visible(tool.name)}</a>
          </li>
        ))}
      </ul>
    </section>
  );
}

type Listed = readonly { appId: string; tools: readonly { id: string; name: string }[] }[];

/** All tools of all apps that are on, searched as the user types. */
function ToolSearch({ apps }: { apps: readonly AppView[] }) {
  const project = useProject();
  const [text, setText] = useState('');
  const listed = useDesktopQuery('tools.names', { project: project.id }).data?.apps ?? [];
  const words = text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  return (
    <>
      <search className="cluster find">
        <input
          type="search"
          aria-label="Search tools and apps"
          placeholder="Search tools and apps"
          value={text}
          maxLength={200}
          onChange={({ target }) => setText(target.value)}
        />
      </search>
      <div className="tool-groups">
        {apps.map((app) => (
          <ToolLinks key={app.appId} app={app} listed={listed} words={words} />
        ))}
      </div>
      <p className="soft none-found">No tool matches.</p>
    </>
  );
}

/** One tool of an app; without one, why there is none to choose. */
function ChosenTool({
  app,
  appId,
  chosen,
}: {
  app: AppView | undefined;
  appId: string;
  chosen: string | null;
}) {
  const project = useProject();
  const { tools, isPending, fault } = useTools(appId, project.id);
  return (
    <Loaded query={tools}>
      {({ tools: all }) => {
        const tool = all.find(({ id }) => id === chosen);
        return (
          <>
            {fault === null ? null : <ToolsNotListed fault={fault} />}
            {tool ? (
              <>
                <h2>{`${visible(app?.manifest.name ?? appId)}: ${visible(tool.title)}`}</h2>
                <ToolForm key={`${appId} ${tool.id}`} appId={appId} tool={tool} isPending={isPending} />
              </>
            ) : all.length === 0 && fault === null ? (
              <p>This app has no tools.</p>
            ) : app ? (
              <ToolLinks
                app={app}
                listed={[{ appId, tools: all.map(({ id, title }) => ({ id, name: title })) }]}
                words={[]}
              />
            ) : null}
          </>
        );
      }}
    </Loaded>
  );
}

/** Runs tools by hand. */
export function ToolRunner({ appId, tool }: { appId: string | null; tool: string | null }) {
  const project = useProject();
  const apps = useDesktopQuery('apps.list', { project: project.id });
  return (
    <>
      <Heading>Tools</Heading>
      <p className="soft">
        Run a tool yourself, the way an agent would.{' '}
        {appId === null ? null : <a href={hashOf('tools')}>All tools</a>}
      </p>
      <Loaded query={apps}>
        {({ apps: all }) => {
          if (appId !== null)
            return (
              <ChosenTool
                key={appId}
                app={all.find((app) => app.appId === appId)}
                appId={appId}
                chosen={tool}
              />
            );
          const offered = all.filter(canRun);
          return offered.length === 0 ? (
            <p>No app with tools is on in this project.</p>
          ) : (
            <ToolSearch apps={offered} />
          );
        }}
      </Loaded>
    </>
  );
}
