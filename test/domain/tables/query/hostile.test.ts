import { hostileGroups, isCostly, refuseHostile } from './hostile.ts';

/** Of the costly ones some; the long ring tries all. */
refuseHostile(
  hostileGroups.map((group) =>
    isCostly(group) ? { ...group, statements: group.statements.slice(0, 2) } : group,
  ),
);
