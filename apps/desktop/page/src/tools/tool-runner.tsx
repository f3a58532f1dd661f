import { visible } from '@svc/text';
import { Button, Form, Loaded, Select } from '@svc/ui';
import { useMemo, useState } from 'react';
import type { AppView, ToolView } from '../../../src/wire/views.ts';
import { Heading } from '../parts/parts.tsx';
import { WithCode } from '../parts/with-code.tsx';
import { hashOf } from '../routes.ts';
import { useProject } from '../shell/use-project.ts';
import { go } from '../shell/use-route.ts';
import { useDesktopQuery } from '../wire/use-desktop.ts';
import { ArgumentField } from './argument-field.tsx';
import { FileField } from './file-field.tsx';
import { RunResult } from './run-result.tsx';
import { type FieldTexts, fieldsOf, fill, WHOLE, wholeField } from './schema-form.ts';
import { SchemaNote, ToolsNotListed } from './tool-state.tsx';
import { useRun } from './use-run.ts';
import { useTools } from './use-tools.ts';

/** The form of a tool. Its fields may change when the server lists the schema; entered values stay. */
function useToolForm(tool: ToolView) {
  const [entered, setEntered] = useState<FieldTexts>({});
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
    write: (name: string, text: string) => setEntered((before) => ({ ...before, [name]: text })),
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
  const form = useToolForm(tool);
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

function ToolChoice({ appId, chosen }: { appId: string; chosen: string | null }) {
  const project = useProject();
  const { tools, isPending, fault } = useTools(appId, project.id);
  return (
    <Loaded query={tools}>
      {({ tools: all }) => {
        const tool = all.find(({ id }) => id === chosen);
        if (all.length === 0)
          return fault === null ? <p>This app has no tools.</p> : <ToolsNotListed fault={fault} />;
        return (
          <>
            <Select
              label="Tool"
              of={[
                ...(tool ? [] : [['', 'Choose a tool'] as const]),
                ...all.map(({ id, name }) => [id, visible(name)] as const),
              ]}
              value={tool?.id ?? ''}
              choose={(id) => go(hashOf('tools', appId, id))}
            />
            {fault === null ? null : <ToolsNotListed fault={fault} />}
            {tool ? (
              <ToolForm key={`${appId} ${tool.id}`} appId={appId} tool={tool} isPending={isPending} />
            ) : null}
          </>
        );
      }}
    </Loaded>
  );
}

const canRun = ({ on, withdrawn }: AppView): boolean => on && !withdrawn;

/** Runs tools by hand. */
export function ToolRunner({ appId, tool }: { appId: string | null; tool: string | null }) {
  const project = useProject();
  const apps = useDesktopQuery('apps.list', { project: project.id });
  return (
    <>
      <Heading>Tools</Heading>
      <p className="soft">Run a tool yourself, the way an agent would.</p>
      <Loaded query={apps}>
        {({ apps: all }) => {
          const offered = all.filter((app) => canRun(app) || app.appId === appId);
          if (offered.length === 0) return <p>No app with tools is on in this project.</p>;
          return (
            <Select
              label="App"
              of={[
                ...(appId === null ? [['', 'Choose an app'] as const] : []),
                ...offered.map((app) => [app.appId, visible(app.manifest.name)] as const),
              ]}
              value={appId ?? ''}
              choose={(id) => go(hashOf('tools', id))}
            />
          );
        }}
      </Loaded>
      {appId === null ? null : <ToolChoice key={appId} appId={appId} chosen={tool} />}
    </>
  );
}
