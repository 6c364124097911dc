import { hostileGroups, isCostly, refuseHostile } from './hostile.ts';

refuseHostile(hostileGroups.filter(isCostly));
