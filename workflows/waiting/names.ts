/** The type of an attempt's failure if all processes that its organization may use are busy. */
export const noProcessFailure = 'NoProcess';
