/** Where an uploaded file is kept. Two people may bring in files of one name at once. */
export const uploadPathOf = (file: File): string =>
  `imports/${new Date().toISOString().slice(0, 10)} ${crypto.randomUUID().slice(0, 8)}/${file.name}`;
