import { visible } from '@svc/text';
import { Button, ButtonLink, Icon, LoadError, MenuButton } from '@svc/ui';
import { keepPreviousData, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import type { ListedChat } from '../../../src/wire/chat.ts';
import { daysOf } from '../more/activity-days.ts';
import { hashOf } from '../routes.ts';
import { useProject } from '../shell/use-project.ts';
import { useDesktopEvents, useDesktopQuery, useLiveState } from '../wire/use-desktop.ts';
import { DeleteChat, KeepChat, RenameChat } from './chat-actions.tsx';
import { LIST_ID } from './chat-head.tsx';
import { hashOfChat } from './use-found.ts';

/** Conversations that are listed at first, and that are added at the end of the list. */
const PAGE = 100;

/** Words of a match, with the text around them. */
function Match({ match: { before, words, after } }: { match: NonNullable<ListedChat['match']> }) {
  return (
    <small className="soft chat-match">
      {visible(before)}
      <mark>{visible(words)}</mark>
      {visible(after)}
    </small>
  );
}

function ConversationRow({ chat, isCurrent, q }: { chat: ListedChat; isCurrent: boolean; q: string }) {
  const { cards } = useLiveState();
  const { id, running, match } = chat;
  const title = visible(chat.title) || 'New conversation';
  return (
    <li className="chat-row">
      <a href={hashOfChat(id, match?.message, q)} {...(isCurrent && { 'aria-current': 'page' as const })}>
        {title}
        {running ? <span className="lamp" role="img" aria-label="Thinking…" /> : null}
        {cards.some((card) => card.chat === id) ? <span className="badge now">asks you</span> : null}
        {match ? <Match match={match} /> : null}
      </a>
      <MenuButton look="pop pop-menu-body" label={<Icon name="ellipsis" />} name={`Actions for ${title}`}>
        {(close) => (
          <>
            <RenameChat chat={chat} done={close} />
            <KeepChat chat={chat} done={close} />
            <DeleteChat chat={id} isTemporary={chat.temporary === true} />
          </>
        )}
      </MenuButton>
    </li>
  );
}

/** Conversations in the order of the list: the temporary ones, the pinned ones, and the others by day. What a search found has one group. */
function groupsOf(chats: readonly ListedChat[], q: string) {
  if (q !== '') return [{ label: 'Found', entries: chats }];
  const [temporary = [], pinned = [], others = []] = [
    chats.filter((chat) => chat.temporary),
    chats.filter((chat) => chat.pinned && !chat.temporary),
    chats.filter((chat) => !chat.pinned && !chat.temporary),
  ];
  return [
    ...(temporary.length > 0 ? [{ label: 'Temporary', entries: temporary }] : []),
    ...(pinned.length > 0 ? [{ label: 'Pinned', entries: pinned }] : []),
    ...daysOf(others, new Date()),
  ];
}

/** A button that is pressed when it comes into view, and again when it still is there with more rows above it. */
function More({ rows, load }: { rows: number; load(): void }) {
  const button = useRef<HTMLButtonElement>(null);
  const latest = useRef(load);
  latest.current = load;
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new observer says whether the button is in view now
  useEffect(() => {
    const observer = new IntersectionObserver(([entry]) => entry?.isIntersecting && latest.current());
    if (button.current) observer.observe(button.current);
    return () => observer.disconnect();
  }, [rows]);
  return <Button label="Show more" ref={button} className="quiet small" onClick={load} />;
}

/** The listed conversations, and how to list more. */
function useListed(q: string, archived: boolean) {
  const project = useProject().id;
  const queries = useQueryClient();
  const [limit, setLimit] = useState(PAGE);
  const input = { project, limit, ...(q && { q }), ...(archived && { archived }) };
  const results = useDesktopQuery('chats.list', input, { placeholderData: keepPreviousData });
  useDesktopEvents((event) => {
    if (event.type === 'chats') void queries.invalidateQueries({ queryKey: ['chats.list'] });
  });
  return {
    results,
    addMore: () => setLimit((now) => (results.data?.more && !results.isPlaceholderData ? now + PAGE : now)),
  };
}

/** The conversations of the project. Beside the conversation on a wide window, else in a drawer that the head opens. */
export function ConversationList({ current }: { current: string | null }) {
  const [q, setQ] = useState('');
  const [archived, setArchived] = useState(false);
  const drawer = useRef<HTMLElement>(null);
  const { results, addMore } = useListed(q, archived);
  const chats = results.data?.chats ?? [];
  // biome-ignore lint/correctness/useExhaustiveDependencies: the drawer closes after navigation
  useEffect(() => {
    if (drawer.current?.matches(':popover-open')) drawer.current.hidePopover();
  }, [current]);
  return (
    <aside id={LIST_ID} ref={drawer} popover="auto" className="chats" aria-label="Conversations">
      <ButtonLink
        label="New chat"
        href={hashOf('chat')}
        onClick={() => drawer.current?.matches(':popover-open') && drawer.current.hidePopover()}
      />
      <input
        id="chat-search"
        type="search"
        aria-label="Search conversations"
        placeholder="Search conversations"
        value={q}
        onChange={(event) => setQ(event.target.value)}
      />
      <nav>
        {groupsOf(chats, q).map(({ label, entries }) => (
          <section key={label} aria-label={label}>
            <h2>{label}</h2>
            <ul className="bare">
              {entries.map((chat) => (
                <ConversationRow key={chat.id} {...{ chat, q, isCurrent: chat.id === current }} />
              ))}
            </ul>
          </section>
        ))}
        {results.data?.more ? <More rows={chats.length} load={addMore} /> : null}
        {results.data && chats.length === 0 ? <p className="soft">{emptyText(q, archived)}</p> : null}
        <LoadError query={results} />
      </nav>
      {q === '' ? (
        <Button
          label={archived ? 'Show current ones' : 'Show archived'}
          className="quiet small"
          aria-pressed={archived}
          onClick={() => setArchived(!archived)}
        />
      ) : null}
    </aside>
  );
}

function emptyText(q: string, archived: boolean): string {
  if (q !== '') return 'No conversation matches.';
  return archived ? 'No conversation is archived.' : 'No conversations yet.';
}
