import { type AppDetail, ReviewOrder } from '@svc/contracts';
import { count as countText } from '@svc/text/quantity';
import { html } from 'hono/html';
import { addressInClient, addressOfApp, addressOfRating } from '../../core/web/paths.ts';
import { dayOf, type Html } from '../../http/html.ts';

const STARS = [5, 4, 3, 2, 1] as const;

/** One review with its texts as safe HTML. */
export type ReviewShown = {
  id: string;
  author: string;
  stars: number;
  title: string;
  body: Html;
  version: string;
  updatedAt: string;
  reply: { body: Html; updatedAt: string } | null;
};

/** A page of reviews; `next` is the cursor of the next page. */
export type ReviewsShown = {
  average: number;
  count: number;
  /** The number of ratings by stars. */
  histogram: Readonly<Record<(typeof STARS)[number], number>>;
  reviews: readonly ReviewShown[];
  sort: ReviewOrder;
  next: string | null;
};

const starsOf = (stars: number): Html =>
  html`<span class="stars" role="img" aria-label="${String(stars)} of 5 stars">${'★'.repeat(stars)}<span>${'★'.repeat(5 - stars)}</span></span>`;

const bar = (stars: (typeof STARS)[number], { histogram, count }: ReviewsShown): Html =>
  html`<tr><th scope="row"><span aria-hidden="true">${stars} ★</span><span class="sr">${String(stars)} of 5 stars</span></th>
    <td><meter min="0" max="${Math.max(count, 1)}" value="${histogram[stars]}">${histogram[stars]}</meter></td><td>${histogram[stars]}</td></tr>`;

const item = (
  { appId, publisher }: Pick<AppDetail, 'appId' | 'publisher'>,
  { id, author, stars, title, body, version, updatedAt, reply }: ReviewShown,
): Html =>
  html`<li><article>
    <p class="stars-line">${starsOf(stars)} <strong>${title}</strong></p>
    <p class="hint">${author}, ${dayOf(updatedAt)}, version ${version}, <a rel="nofollow" href="${addressOfRating(appId)}?${new URLSearchParams({ report: id })}">Report<span class="sr"> this review</span></a></p>
    <div class="text">${body}</div>
    ${reply === null ? '' : html`<blockquote><p class="hint">${publisher.name} replies, ${dayOf(reply.updatedAt)}</p><div class="text">${reply.body}</div></blockquote>`}
  </article></li>`;

const ORDERS: Readonly<Record<ReviewOrder, string>> = {
  newest: 'Newest',
  highest: 'Highest rating',
  lowest: 'Lowest rating',
};

const orders = (sort: ReviewOrder, address: (query: { sort: ReviewOrder }) => string): Html =>
  html`<nav aria-label="Order of the reviews"><ul class="pills">${ReviewOrder.options.map(
    (order) =>
      html`<li><a rel="nofollow" href="${address({ sort: order })}"${order === sort ? html` aria-current="true"` : ''}>${ORDERS[order]}</a></li>`,
  )}</ul></nav>`;

/** The reviews of an app: the histogram of its ratings, and a page of reviews. */
export function reviewsSection({ appId, name, iconUrl, publisher }: AppDetail, shown: ReviewsShown): Html {
  const { average, count, reviews, sort, next } = shown;
  const address = (query: Record<string, string>) =>
    `${addressOfApp(appId)}?${new URLSearchParams(query)}#reviews`;
  const summary = html`<div class="cluster summary">
    <p><span class="average">${average.toFixed(1)}</span><br>${countText(count, 'rating')}</p>
    <table class="histogram" aria-label="Reviews">${STARS.map((stars) => bar(stars, shown))}</table>
  </div>`;
  return html`<section class="reviews" aria-labelledby="reviews">
    <h2 id="reviews">Reviews</h2>
    ${count === 0 ? html`<p>No ratings yet. Only users who installed the app can rate it.</p>` : summary}
    <p class="rate buttons"><a class="button" href="${addressInClient('rate', appId, new URL(iconUrl).origin)}" data-client="Rate ${name}">Rate this app</a></p>
    ${count < 2 ? '' : orders(sort, address)}
    ${reviews.length === 0 ? '' : html`<ol>${reviews.map((review) => item({ appId, publisher }, review))}</ol>`}
    ${next === null ? '' : html`<p class="more"><a class="button" rel="nofollow" href="${address({ sort, reviews: next })}">More reviews</a></p>`}
  </section>`;
}
