import { openDashboard } from '../main.tsx';
import { ModerationPage } from './page.tsx';

openDashboard('moderation', ModerationPage);
