import { visible } from '@svc/text';
import { ErrorMessage, Loaded, Options } from '@svc/ui';
import type { AgentSettingsView } from '../../../src/wire/calls.ts';
import type { AgentChoices, AgentView } from '../../../src/wire/views.ts';
import { Section } from '../parts/parts.tsx';
import { useDesktopMutation, useDesktopQuery } from '../wire/use-desktop.ts';
import { isHere } from './agents.tsx';

const APPROVALS_IN = { agent: 'In the agent’s dialog, if it has one', page: 'Always on this page' };

const TOOLS_ARE = {
  auto: 'List few, search many',
  all: 'Always list',
  search: 'Always search',
};

type Tools = AgentChoices['tools'];

/** The settings of an agent without its own. For one agent, approvals can only be made stricter. */
const NO_OWN_SETTINGS = { approvals: null, tools: null } as const;

/** A select field. The empty value means no setting of its own. */
export function Choice<Value extends string>({
  label,
  value,
  words,
  busy = false,
  choose,
}: {
  label: string;
  value: Value | '';
  words: Readonly<Partial<Record<Value | '', string>>>;
  busy?: boolean;
  choose(value: Value | ''): void;
}) {
  return (
    <label className="field">
      {label}
      <select
        value={value}
        disabled={busy}
        onChange={(event) => choose(event.currentTarget.value as Value | '')}
      >
        <Options of={Object.entries<string | undefined>(words)} />
      </select>
    </label>
  );
}

/** Whether updates that change what agents read ask first: a moderator has reviewed them. */
function AskAboutTools({ settings: { askAboutTools } }: { settings: AgentSettingsView }) {
  const save = useDesktopMutation('agents.saveAskAboutTools');
  return (
    <>
      <label>
        <input
          type="checkbox"
          checked={askAboutTools}
          disabled={save.isPending}
          onChange={({ currentTarget: { checked } }) => save.mutate({ asks: checked })}
        />{' '}
        {'Ask before an update that adds tools, or changes their names or descriptions'}
      </label>
      <ErrorMessage error={save.error} />
    </>
  );
}

function ForAll({ settings: { all } }: { settings: AgentSettingsView }) {
  const save = useDesktopMutation('agents.saveForAll');
  return (
    <>
      <div className="choices">
        <Choice<AgentChoices['approvals']>
          label="Approvals"
          value={all.approvals}
          words={APPROVALS_IN}
          busy={save.isPending}
          choose={(approvals) => approvals && save.mutate({ ...all, approvals })}
        />
        <Choice<Tools>
          label="Tools"
          value={all.tools}
          words={TOOLS_ARE}
          busy={save.isPending}
          choose={(tools) => tools && save.mutate({ ...all, tools })}
        />
        {all.tools === 'auto' ? (
          <label className="field">
            Search from this number of tools
            <input
              type="number"
              min={1}
              max={1000}
              defaultValue={all.searchFrom}
              disabled={save.isPending}
              onBlur={({ currentTarget: { valueAsNumber: searchFrom } }) => {
                if (searchFrom >= 1 && searchFrom !== all.searchFrom) save.mutate({ ...all, searchFrom });
              }}
            />
          </label>
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
      <Choice<'page'>
        label="Approvals"
        value={own.approvals ?? ''}
        words={{ '': 'Same as for all agents', page: APPROVALS_IN.page }}
        busy={save.isPending}
        choose={(approvals) => change({ approvals: approvals || null })}
      />
      <Choice<Tools>
        label="Tools"
        value={own.tools ?? ''}
        words={{ '': 'Same as for all agents', ...TOOLS_ARE }}
        busy={save.isPending}
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
      <p role="alert" className="fault">
        {visible(fault)}
      </p>
      <button type="button" disabled={save.isPending} onClick={() => save.mutate(all)}>
        Reset and always ask on this page
      </button>
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
