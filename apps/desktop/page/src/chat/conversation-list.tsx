import { visible } from '@svc/text';
import { LoadError } from '@svc/ui';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { hashOf } from '../routes.ts';
import { useProject } from '../shell/use-project.ts';
import { useDesktopEvents, useDesktopQuery, useLiveState } from '../wire/use-desktop.ts';
import { LIST_ID } from './chat-head.tsx';

/** The conversations of the project. Beside the conversation on a wide window, else in a drawer that the head opens. */
export function ConversationList({ current }: { current: string | null }) {
  const project = useProject();
  const queries = useQueryClient();
  const { cards } = useLiveState();
  const [q, setQ] = useState('');
  const drawer = useRef<HTMLElement>(null);
  const results = useDesktopQuery('chats.list', { project: project.id, ...(q && { q }) });
  useDesktopEvents((event) => {
    if (event.type === 'chats') void queries.invalidateQueries({ queryKey: ['chats.list'] });
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: the drawer closes after navigation
  useEffect(() => {
    if (drawer.current?.matches(':popover-open')) drawer.current.hidePopover();
  }, [current]);
  return (
    <aside id={LIST_ID} ref={drawer} popover="auto" className="chats" aria-label="Conversations">
      <a
        className="button"
        href={hashOf('chat')}
        onClick={() => drawer.current?.matches(':popover-open') && drawer.current.hidePopover()}
      >
        New chat
      </a>
      <input
        id="chat-search"
        type="search"
        aria-label="Search conversations"
        placeholder="Search conversations"
        value={q}
        onChange={(event) => setQ(event.target.value)}
      />
      <nav>
        {results.data?.chats.map(({ id, title, running }) => (
          <a key={id} href={hashOf('chat', id)} {...(id === current && { 'aria-current': 'page' as const })}>
            {visible(title) || 'New conversation'}
            {running ? <span className="dot" role="img" aria-label="Thinking…" /> : null}
            {cards.some(({ chat }) => chat === id) ? <span className="badge now">asks you</span> : null}
          </a>
        ))}
        {results.data?.chats.length === 0 ? (
          <p className="soft">{q === '' ? 'No conversations yet.' : 'No conversation matches.'}</p>
        ) : null}
        <LoadError query={results} />
      </nav>
    </aside>
  );
}
