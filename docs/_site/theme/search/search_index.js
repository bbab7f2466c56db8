// A page that is opened from a folder looks for this; in the bundle it holds the index of the search.
var __index = { config: { lang: ["en"], separator: " ", pipeline: [], fields: {} }, docs: [] };
