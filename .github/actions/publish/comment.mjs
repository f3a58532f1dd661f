// Comments on the pull request what publishing would change for users; a later run updates the comment.
import { readFileSync } from 'node:fs';

/** Identifies the comment, so that the next run finds it. */
const MARK = '<!-- svc publish preview -->';

/** Longest text that GitHub takes in a comment is 65,536 characters. */
const MAX_TEXT = 60_000;

const { GITHUB_API_URL, GITHUB_REPOSITORY, GITHUB_TOKEN, GITHUB_EVENT_PATH } = process.env;

/** A fence that the text cannot close: one backtick longer than its longest run (CommonMark section 4.5). */
function fenced(text) {
  const runs = text.match(/`+/g) ?? [];
  const fence = '`'.repeat(Math.max(3, ...runs.map((run) => run.length + 1)));
  return `${fence}text\n${text.trimEnd()}\n${fence}`;
}

async function api(method, path, body) {
  const response = await fetch(`${GITHUB_API_URL}/repos/${GITHUB_REPOSITORY}${path}`, {
    method,
    headers: {
      Accept: 'application/vnd.github+json',
      Authorization: `Bearer ${GITHUB_TOKEN}`,
      'Content-Type': 'application/json',
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`GitHub answers ${response.status} to ${method} ${path}.`);
  return response.json();
}

const text = readFileSync(process.argv[2], 'utf8').slice(0, MAX_TEXT);
const { pull_request: pull } = JSON.parse(readFileSync(GITHUB_EVENT_PATH, 'utf8'));
const body = `${MARK}\n**What publishing this would change for users**\n\n${fenced(text)}\n`;
try {
  const comments = await api('GET', `/issues/${pull.number}/comments?per_page=100`);
  const ours = comments.find((comment) => comment.body.startsWith(MARK));
  if (ours) await api('PATCH', `/issues/comments/${ours.id}`, { body });
  else await api('POST', `/issues/${pull.number}/comments`, { body });
} catch (error) {
  // A pull request from a fork has no permission to comment; the preview is still in the log.
  process.stdout.write(`::warning::The preview could not be written as a comment. ${error.message}\n`);
}
