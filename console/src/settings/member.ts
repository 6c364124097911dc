import type { components } from '../../../clients/typescript/src/index.ts';

export type Member = components['schemas']['Member'];
export type ChangedMember = components['schemas']['ChangedMember'] & { isRemoved: boolean };

export const nameOf = ({ name, email }: Pick<Member, 'name' | 'email'>): string =>
  name === '' ? email : name;
