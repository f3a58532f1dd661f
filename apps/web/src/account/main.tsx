import { openDashboard } from '../main.tsx';
import { AccountPage } from './page.tsx';

openDashboard('account', AccountPage);
