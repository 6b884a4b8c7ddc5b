// Blocking, so that the first frame has the stored theme and the controls that need scripts.
const root=document.documentElement;root.dataset.js="";
try{const t=localStorage.getItem("theme");if(t==="light"||t==="dark")root.dataset.theme=t}catch{}
