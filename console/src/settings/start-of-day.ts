/** When a day begins where its reader is, in RFC 3339. */
export const startOfDay = (day: string): string => new Date(`${day}T00:00`).toISOString();
