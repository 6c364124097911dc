export const identifier = (name: string): string => `"${name.replaceAll('"', '""')}"`;

export const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`;
