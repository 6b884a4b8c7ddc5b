// Blocking, so that the first frame has the stored theme and the controls that need scripts.
if(self.document){const root=document.documentElement;root.dataset.js="";
if(/=./.test(location.search))root.dataset.q="";
// The browser's own bars have the chosen theme too.
self.themeColor=t=>{for(const m of document.querySelectorAll("meta[name=theme-color]")){
const own=m.dataset.scheme??=/dark/.test(m.media)?"dark":"light";
m.media=t===own?"all":t==="auto"?`(prefers-color-scheme:${own})`:"not all"}};
try{const t=localStorage.theme;if(t==="light"||t==="dark"){root.dataset.theme=t;themeColor(t)}}catch{}}
// As a worker the same file requests live figures: it is in the browser's cache, and a worker's failed request, on a
// site without a sidecar, is no error of the page.
else onmessage=async e=>{let a=[0];
try{const r=await fetch(e.data,{headers:{Accept:"application/json"},signal:AbortSignal.timeout(1e4)});
a=[r.status,r.ok?await r.json():null,r.headers.get("Retry-After")]}catch{}
postMessage(a)};
