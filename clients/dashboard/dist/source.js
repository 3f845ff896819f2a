/* SPDX-License-Identifier: Apache-2.0 */
/* clients/dashboard/dist/source.js - shared by the others; made by build.mjs */
import{b as x,c as w,e as v,f as E,g as c,t as S}from"./base.js";var k=n=>n.replace(/[.*+?^${}()|[\]\\]/g,"\\$&");function b(n,i){let r=/\bline (\d+)/.exec(i);if(r)return Number(r[1]);let a=[...i.matchAll(/([\w-]+)\[@name='([^']*)'\]([^[]*)/g)].at(-1)??/\b(link|joint|body|transmission|geom|site|motor|drive)s? "?([^":]+?)"?(?:,.*|:.*)?$/.exec(i);if(!a)return 0;let[,l="",t="",s=""]=a,f=new RegExp(`<${k(l)}\\b[^>]*\\bname\\s*=\\s*["']${k(t)}["']|"name"\\s*:\\s*"${k(t)}"`).exec(n);if(!f)return 0;let u=f.index;for(let d of s.split("/").filter(Boolean)){let g=n.indexOf(`<${d.replace(/\W.*/,"")}`,u+1);if(g<0)break;u=g}return n.slice(0,u).split(`
`).length}function P(n,i,r){let o=[];if(r instanceof S){let l=r.document.errors??[];l.length||o.push({kind:"error",where:"",text:r.message,line:b(n,r.message)});for(let t of l)o.push({kind:"error",where:t.pointer,text:t.detail,hint:t.hint,line:Math.max(b(n,t.detail),b(n,t.pointer))})}else r&&o.push({kind:"error",where:"",text:r.message,line:0});let a=(l,t)=>t?.forEach(s=>o.push({kind:l,where:s.where,text:s.count>1?`${s.text} (${s.count} times)`:s.text,line:b(n,s.where)}));return a("doubt",i?.doctor),a("ignored",i?.ignored),o}var y={error:"Wrong",doubt:"Doubtful",ignored:"Ignored"},M={error:"✕",doubt:"?",ignored:"·"},T=3e5;function L({text:n,said:i,onput:r,busy:o}){let[a,l]=x({of:n,draft:n}),t=a.of===n?a.draft:n,[s,f]=x(i.find(e=>e.line>0)?.line??0),u=v(null);w(()=>f(i.find(e=>e.line>0)?.line??0),[i]);let d=n.length>T,g=E(()=>t.split(`
`),[t]),p=d?Math.max(0,(s||1)-200):0,h=d?g.slice(p,p+400):g,m=new Map;for(let e of i)e.line&&m.get(e.line)!=="error"&&m.set(e.line,e.kind);return w(()=>{let e=u.current?.parentElement;e&&s&&(e.scrollTop=Math.max(0,(s-p-5)*20))},[s]),c`<div class="source">
    <ol class="said" aria-label="What was found in the text">${i.map(e=>c`<li class=${e.kind}>
      <button onClick=${()=>f(e.line)} disabled=${!e.line} aria-pressed=${e.line>0&&e.line===s}>
        <span class="tag">${y[e.kind]}</span>${e.line>0&&c`<span class="dim"> line ${e.line}</span>`}
        <span class="where">${e.where}</span><span>${e.text}</span>${e.hint&&c`<span class="hint">${e.hint}</span>`}</button></li>`)}
      ${i.length===0&&c`<li class="fine">Everything in it was understood, and nothing looks wrong.</li>`}</ol>
    <div class="text-wrap">
      <div class="lines" style=${{"--lines":h.length}}>
        <pre class="gutter" aria-hidden="true">${h.map((e,$)=>c`<span class=${`${m.get(p+$+1)??""}${s===p+$+1?" here":""}`}>${M[m.get(p+$+1)]??""} ${p+$+1}\n</span>`)}</pre>
        <textarea ref=${u} class="code" spellcheck="false" wrap="off" readonly=${d} aria-label="Text of the robot" rows=${h.length} value=${d?h.join(`
`):t}
          onInput=${e=>l({of:n,draft:e.target.value})}></textarea>
      </div>
    </div>
    <div class="row"><button class="first" disabled=${o||d} onClick=${()=>r(t)}>${t===n?"Put again":"Put the changed text"}</button>
      ${d&&c`<span class="dim">Long text: 400 lines around the marked one are shown. Change the file and drop it again.</span>`}</div>
  </div>`}export{P as a,L as b};
