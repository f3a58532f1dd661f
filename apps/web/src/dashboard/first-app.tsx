import { Card, Copied } from '../account/parts.tsx';
import { WORDS } from './words.ts';

const { first } = WORDS;

/** How a publisher without apps comes to its first. */
export const FirstApp = ({ slug }: { slug: string }) => (
  <Card title={first.title}>
    <p>{first.lead}</p>
    <ol className="first">
      <li>
        {first.init}
        <Copied label={first.labels.init} text={first.initCommand(location.origin, slug)} />
      </li>
      <li>
        {first.pack}
        <Copied label={first.labels.pack} text={first.packCommand(location.origin)} />
      </li>
      <li>{first.drop}</li>
    </ol>
  </Card>
);
