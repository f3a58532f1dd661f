import { visible } from '@svc/text';
import { Check, ConfirmButton, count, ErrorMessage, Icon, Loaded, Rows, When } from '@svc/ui';
import type { AgentSessionView, AppView } from '../../../src/wire/views.ts';
import { Section } from '../parts/parts.tsx';
import { useApps } from '../shell/use-project.ts';
import { useDesktopMutation, useDesktopQuery } from '../wire/use-desktop.ts';

/** The tools that an agent can use now, by app. */
function Allowed({ scope }: { scope: AgentSessionView['scope'] }) {
  const change = useDesktopMutation('agents.switchTool');
  if (scope === null) return <p className="soft">It has not listed tools yet.</p>;
  const { project, projectId, bundle, knownAs, searched, apps, tokens } = scope;
  const tools = apps.flatMap((app) => app.tools).filter(({ on }) => on).length;
  return (
    <details>
      <summary>{`Can use ${count(tools, 'tool')} of ${count(apps.length, 'app')} in ${visible(project)}${bundle === null ? '' : `, by the bundle ${visible(bundle)}`}`}</summary>
      {knownAs === null ? (
        <p className="soft">svc does not know this agent by its name: its tools cannot be chosen here.</p>
      ) : null}
      {searched ? <p className="soft">The agent searches these tools instead of listing them all.</p> : null}
      <p className="soft">{`Its list of tools takes about ${count(tokens, 'token')} of each conversation.`}</p>
      <ul>
        {apps.map(({ appId, name, tools: names }) => (
          <li key={appId}>
            <strong>{visible(name)}</strong>
            {names.length === 0 ? `: tools not listed yet` : null}
            {names.map((tool) => (
              <Check
                key={tool.id}
                label={visible(tool.name)}
                checked={tool.on}
                disabled={knownAs === null || change.isPending}
                choose={(isOn) =>
                  knownAs &&
                  change.mutate({ agent: knownAs, project: projectId, appId, tool: tool.id, on: isOn })
                }
              />
            ))}
          </li>
        ))}
      </ul>
      <ErrorMessage error={change.error} />
    </details>
  );
}

function LastCall({
  session: { lastCall, calls },
  apps,
}: {
  session: AgentSessionView;
  apps: readonly AppView[];
}) {
  if (lastCall === null) return <>No tool calls yet.</>;
  const { appId, tool, at } = lastCall;
  const app = apps.find((candidate) => candidate.appId === appId)?.manifest.name ?? appId;
  return (
    <>
      {`Last call: ${visible(app)}, ${visible(tool)},`} <When at={at} />; {`${count(calls, 'call')} in total`}
    </>
  );
}

function Session({ session, apps }: { session: AgentSessionView; apps: readonly AppView[] }) {
  const end = useDesktopMutation('agents.end');
  const { id, agent, version, since, scope } = session;
  const name = visible(agent);
  return (
    <li className="agent session">
      <Icon name="bot" />
      <div>
        <strong>{name}</strong> {visible(version)} <span className="badge good">connected</span>
        <p className="soft">
          Connected since <When at={since} />
        </p>
        <p className="soft">
          <LastCall session={session} apps={apps} />
        </p>
        <Allowed scope={scope} />
        <ErrorMessage error={end.error} />
      </div>
      <ConfirmButton
        label={`End session of ${name}`}
        sure="End this session?"
        act={() => end.mutate({ session: id })}
      />
    </li>
  );
}

/** The connected agents, each with a button that ends its session. */
export function AgentSessions() {
  const sessions = useDesktopQuery('agents.sessions', {});
  const endAll = useDesktopMutation('agents.end');
  const apps = useApps() ?? [];
  return (
    <Section title="Connected now">
      <Loaded query={sessions}>
        {({ sessions: all }) =>
          all.length === 0 ? (
            <p className="soft">No agents connected.</p>
          ) : (
            <>
              <p className="soft">
                Agents report their own names; svc does not verify them. Ending a session stops its calls, but
                the agent can connect again. To prevent that, disconnect it above.
              </p>
              <Rows of={all}>{(session) => <Session key={session.id} session={session} apps={apps} />}</Rows>
              {all.length === 1 ? null : (
                <ConfirmButton
                  label="End all sessions"
                  sure="End all sessions?"
                  act={() => endAll.mutate({ session: null })}
                />
              )}
              <ErrorMessage error={endAll.error} />
            </>
          )
        }
      </Loaded>
    </Section>
  );
}
