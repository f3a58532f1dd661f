import { visible } from '@svc/text';
import { Button, Check, ErrorMessage, Fault, Field, Loaded, Select } from '@svc/ui';
import type { AgentSettingsView } from '../../../src/wire/calls.ts';
import type { AgentChoices, AgentView } from '../../../src/wire/views.ts';
import { Section } from '../parts/parts.tsx';
import { useDesktopMutation, useDesktopQuery } from '../wire/use-desktop.ts';
import { isHere } from './agents.tsx';

const APPROVALS_IN = [
  ['agent', 'In the agent’s dialog, if it has one'],
  ['page', 'Always on this page'],
] as const;

const TOOLS_ARE = [
  ['auto', 'List few, search many'],
  ['all', 'Always list'],
  ['search', 'Always search'],
] as const;

const SAME_AS_ALL = ['', 'Same as for all agents'] as const;

/** The settings of an agent without its own. For one agent, approvals can only be made stricter. */
const NO_OWN_SETTINGS = { approvals: null, tools: null } as const;

/** Whether updates that change what agents read ask first: a moderator has reviewed them. */
function AskAboutTools({ settings: { askAboutTools } }: { settings: AgentSettingsView }) {
  const save = useDesktopMutation('agents.saveAskAboutTools');
  return (
    <>
      <Check
        label="Ask before an update that adds tools, or changes their names or descriptions"
        checked={askAboutTools}
        disabled={save.isPending}
        choose={(isOn) => save.mutate({ asks: isOn })}
      />
      <ErrorMessage error={save.error} />
    </>
  );
}

function ForAll({ settings: { all } }: { settings: AgentSettingsView }) {
  const save = useDesktopMutation('agents.saveForAll');
  return (
    <>
      <div className="choices">
        <Select
          label="Approvals"
          value={all.approvals}
          of={APPROVALS_IN}
          disabled={save.isPending}
          choose={(approvals) => save.mutate({ ...all, approvals })}
        />
        <Select
          label="Tools"
          value={all.tools}
          of={TOOLS_ARE}
          disabled={save.isPending}
          choose={(tools) => save.mutate({ ...all, tools })}
        />
        {all.tools === 'auto' ? (
          <Field
            label="Search from this number of tools"
            type="number"
            min={1}
            max={1000}
            defaultValue={all.searchFrom}
            disabled={save.isPending}
            onBlur={({ currentTarget: { valueAsNumber: searchFrom } }) => {
              if (searchFrom >= 1 && searchFrom !== all.searchFrom) save.mutate({ ...all, searchFrom });
            }}
          />
        ) : null}
      </div>
      <ErrorMessage error={save.error} />
    </>
  );
}

function ForOne({ agent, settings }: { agent: AgentView; settings: AgentSettingsView }) {
  const save = useDesktopMutation('agents.saveFor');
  const own = settings.agents[agent.id] ?? NO_OWN_SETTINGS;
  const change = (changes: Partial<typeof own>) => save.mutate({ agent: agent.id, ...own, ...changes });
  return (
    <fieldset className="choices">
      <legend>{visible(agent.name)}</legend>
      <Select
        label="Approvals"
        value={own.approvals ?? ''}
        of={[SAME_AS_ALL, APPROVALS_IN[1]]}
        disabled={save.isPending}
        choose={(approvals) => change({ approvals: approvals || null })}
      />
      <Select
        label="Tools"
        value={own.tools ?? ''}
        of={[SAME_AS_ALL, ...TOOLS_ARE]}
        disabled={save.isPending}
        choose={(tools) => change({ tools: tools || null })}
      />
      <ErrorMessage error={save.error} />
    </fieldset>
  );
}

/** Says why the settings cannot be read, with a button that replaces them by the strict values in use. */
function Unreadable({ fault, all }: { fault: string; all: AgentChoices }) {
  const save = useDesktopMutation('agents.saveForAll');
  return (
    <>
      <Fault>{visible(fault)}</Fault>
      <Button label="Reset and always ask on this page" runs={save} onClick={() => save.mutate(all)} />
      <ErrorMessage error={save.error} />
    </>
  );
}

/** Settings for all agents and per agent: where they ask for approval, and whether tools are listed or searched. */
export function AgentSettings() {
  const settings = useDesktopQuery('agents.settings', {});
  const agents = useDesktopQuery('agents.list', {}).data?.agents.filter(isHere) ?? [];
  return (
    <Section title="Agents">
      <Loaded query={settings}>
        {(saved) => (
          <>
            {saved.fault === null ? null : <Unreadable fault={saved.fault} all={saved.all} />}
            {saved.started === null || saved.fault !== null ? null : (
              <p role="status" className="mild">
                {`svc desktop was started with approvals ${saved.started === 'page' ? 'on this page' : 'in agents’ dialogs'} (--approvals or SVC_APPROVALS). Your choice here applies from the next start.`}
              </p>
            )}
            <ForAll settings={saved} />
            <AskAboutTools settings={saved} />
            <p className="soft">
              Changes apply immediately. Updates that need your consent, and files saved to a project, always
              ask on this page.
            </p>
            {agents.length === 0 ? null : (
              <details>
                <summary>Settings per agent</summary>
                <p className="soft">
                  Agents report their own names, so approvals for one agent can only be stricter than those
                  for all. A gateway started with --tools ignores the tool setting here.
                </p>
                {agents.map((agent) => (
                  <ForOne key={agent.id} agent={agent} settings={saved} />
                ))}
              </details>
            )}
          </>
        )}
      </Loaded>
    </Section>
  );
}
