import { Select } from '../parts/input.tsx';
import * as texts from '../texts/index.ts';

const { roles } = texts.settings;
export type Role = keyof typeof roles;

interface RoleChoiceProps<Offered extends Role> {
  id?: string;
  label?: string;
  offered: readonly Offered[];
  role: Offered;
  onChoose: (role: Offered) => void;
}

export function RoleChoice<Offered extends Role>({
  id,
  label,
  offered,
  role,
  onChoose,
}: RoleChoiceProps<Offered>) {
  return (
    <Select
      id={id}
      aria-label={label}
      value={role}
      onChange={({ target }) => onChoose(offered.find((name) => name === target.value) ?? role)}
    >
      {offered.map((name) => (
        <option key={name} value={name}>
          {roles[name]}
        </option>
      ))}
    </Select>
  );
}
