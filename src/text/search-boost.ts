/** Matches in words of the title count most, then those of the keywords. The site has the same weights. */
export const BOOST = { title: 4, keywords: 3, summary: 3, text: 1 };
