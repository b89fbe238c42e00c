#!/bin/sh
# Makes the base segments that every VOD of the stand-in repeats. Needs ffmpeg with libx264 and
# libx265 (Debian's has both) and the DejaVu fonts. Run it in this folder; the result is committed,
# so only a change of the picture or of the ladder calls for another run.
#
# Why 20 seconds at 32 kHz: Twitch cuts 10.000 s segments, and an AAC frame holds 1024 samples. Two
# segments at 32 kHz are the shortest run of whole frames (20 s = 625 frames; 48 kHz would need 40 s),
# so a repeat shifted by exactly 20 s has neither a gap nor an overlap. Everything that moves or
# sounds has a period that divides 20 s, and the run is taken from the middle of a longer encode,
# past the encoder's priming.
set -eu

out=base
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
rm -rf "$out"
mkdir -p "$out"

total=42   # seconds encoded; segments 1 and 2 of 0 to 4 are kept
fonts=/usr/share/fonts/truetype/dejavu

# A drifting sky, rendered small and scaled up: blurry pictures need few bits.
sky="nullsrc=s=160x90:r=30:d=$total,format=yuv420p,\
geq=lum='90+40*Y/H+18*sin(2*PI*(T/20+X/W))*sin(2*PI*(T/20+Y/H))'\
:cb='150-22*Y/H+8*sin(2*PI*(T/20+X/W))':cr='112+40*pow(Y/H,2)+6*cos(2*PI*T/20)'"
plane="drawtext=fontfile=$fonts/DejaVuSans.ttf:text='✈':fontcolor=white@0.92:fontsize=h/6\
:x='(w+h/3)*mod(t,20)/20-h/6':y='h*0.36+h*0.05*sin(2*PI*t/10)'"
clock="drawtext=fontfile=$fonts/DejaVuSansMono.ttf:fontcolor=white:fontsize=h/12:box=1\
:boxcolor=black@0.45:boxborderw=8:x=w/24:y=h-th-h/14\
:text='%{eif\:mod(t+10,20)\:d\:2}.%{eif\:mod(t*10,10)\:d} s'"
label="drawtext=fontfile=$fonts/DejaVuSans.ttf:fontcolor=white@0.8:fontsize=h/26:x=w/24:y=h/16"
# A soft chord, and a beep every full second.
tone="0.05*sin(2*PI*220*t)+0.04*sin(2*PI*330*t)+0.12*sin(2*PI*880*t)*lt(mod(t\,1)\,0.08)"

# encode NAME WIDTHxHEIGHT LABEL VIDEO-OPTIONS...
encode() {
  name=$1 size=$2 text=$3
  shift 3
  ffmpeg -nostdin -v error -y -f lavfi -i "$sky,scale=$size:flags=bicubic,$plane,$clock,$label:text='$text'" \
    -f lavfi -i "aevalsrc=$tone|$tone:s=32000:d=$total" -map 1:a -map 0:v \
    "$@" -video_track_timescale 15360 -c:a aac -b:a 40k -ac 2 -threads 2 "$work/$name.mp4"
}

# cut NAME CONTAINER(ts|mp4) FOLDER MAP-OPTIONS...
cut() {
  name=$1 container=$2 folder=$3
  shift 3
  mkdir -p "$work/$folder" "$out/$folder"
  if [ "$container" = ts ]; then type=mpegts; else type=fmp4; fi
  (cd "$work/$folder" && ffmpeg -nostdin -v error -y -i "../$name.mp4" "$@" -c copy -f hls -hls_time 10 \
    -hls_list_size 0 -hls_segment_type "$type" -hls_fmp4_init_filename init.mp4 \
    -hls_segment_filename "%d.$container" index.m3u8)
  # Not .ts in the repository: compilers and linters would take it for TypeScript.
  if [ "$container" = ts ]; then kept=mpegts; else kept=mp4; fi
  for i in 1 2; do mv "$work/$folder/$i.$container" "$out/$folder/$((i - 1)).$kept"; done
  if [ "$container" = mp4 ]; then mv "$work/$folder/init.mp4" "$out/$folder/init.mp4"; fi
}

x264="-c:v libx264 -preset veryslow -profile:v high -g 60 -keyint_min 60 -sc_threshold 0 -bf 2 -refs 3"
# shellcheck disable=SC2086 # the options are meant to split
{
  encode source 1280x720 'Twitch stand-in · 720p' $x264 -level:v 3.1 -crf 31
  encode low 640x360 'Twitch stand-in · 360p' $x264 -level:v 3.0 -crf 34
  encode second 854x480 'Twitch stand-in · 480p, second init' $x264 -profile:v main -level:v 3.1 -crf 35
  encode hevc 1280x720 'Twitch stand-in · 720p HEVC' -c:v libx265 -preset medium -crf 37 -tag:v hev1 \
    -x265-params keyint=60:min-keyint=60:scenecut=0:open-gop=0:bframes=2:log-level=error
}

# Audio first, so that ffmpeg assigns the same PIDs as Twitch: audio 0x100, video 0x101.
cut source ts ts-720p -map 0:a -map 0:v
cut low ts ts-360p -map 0:a -map 0:v
cut low ts ts-audio -map 0:a
cut source mp4 fmp4-720p -map 0:v -map 0:a
cut second mp4 fmp4-480p -map 0:v -map 0:a
cut hevc mp4 fmp4-hevc -map 0:v -map 0:a -tag:v hev1
cut low mp4 fmp4-audio -map 0:a
du -sk "$out"
